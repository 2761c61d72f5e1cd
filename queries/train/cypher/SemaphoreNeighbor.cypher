MATCH (semaphore:Semaphore)<-[:exit]-(route1:Route)-[:requires]->(sensor1:Sensor)
      <-[:monitoredBy]-(te1:TrackElement)-[:connectsTo]->(te2:TrackElement)
      -[:monitoredBy]->(sensor2:Sensor)<-[:requires]-(route2:Route)
WHERE route1 <> route2 AND NOT EXISTS { (route2)-[:entry]->(semaphore) }/*unique*/
RETURN semaphore._index, route1._index, route2._index, sensor1._index, sensor2._index, te1._index, te2._index
