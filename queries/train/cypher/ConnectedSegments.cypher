MATCH (sensor:Sensor)<-[:monitoredBy]-(segment1:Segment)-[:connectsTo]->(segment2:Segment)
      -[:connectsTo]->(segment3:Segment)-[:connectsTo]->(segment4:Segment)
      -[:connectsTo]->(segment5:Segment)-[:connectsTo]->(segment6:Segment)
WHERE EXISTS { (segment2)-[:monitoredBy]->(sensor) }
  AND EXISTS { (segment3)-[:monitoredBy]->(sensor) }
  AND EXISTS { (segment4)-[:monitoredBy]->(sensor) }
  AND EXISTS { (segment5)-[:monitoredBy]->(sensor) }
  AND EXISTS { (segment6)-[:monitoredBy]->(sensor) }/*unique*/
RETURN sensor._index, segment1._index, segment2._index, segment3._index, segment4._index, segment5._index,
       segment6._index
