MATCH (route:Route)-[:follows]->(swP:SwitchPosition)<-[:positions]-(sw:Switch)-[:monitoredBy]->(sensor:Sensor)
WHERE NOT EXISTS { (route)-[:requires]->(sensor) }/*unique*/
RETURN route._index, sensor._index, swP._index, sw._index
