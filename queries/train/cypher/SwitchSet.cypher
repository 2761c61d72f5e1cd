MATCH (semaphore:Semaphore)<-[:entry]-(route:Route)-[:follows]->(swP:SwitchPosition)<-[:positions]-(sw:Switch)
WHERE route.active AND semaphore.signal = 'GO' AND sw.currentPosition <> swP.position/*unique*/
RETURN semaphore._index, route._index, swP._index, sw._index
