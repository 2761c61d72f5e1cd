MATCH (sw:Switch)
WHERE NOT EXISTS { (sw)-[:monitoredBy]->() }/*unique*/
RETURN sw._index
