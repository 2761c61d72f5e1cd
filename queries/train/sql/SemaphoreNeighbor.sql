-- Routes that follow each other on the track although the first one's exit is not the second one's entry.
SELECT route1.exit, route1.element, route2.element, required1.target, required2.target, m1.source, m2.source
FROM route route1
JOIN route_requires required1 ON required1.source = route1.element
JOIN trackelement_monitoredby m1 ON m1.target = required1.target
JOIN trackelement_connectsto connected ON connected.source = m1.source
JOIN trackelement_monitoredby m2 ON m2.source = connected.target
JOIN route_requires required2 ON required2.target = m2.target
JOIN route route2 ON route2.element = required2.source
WHERE route1.exit IS NOT NULL
  AND route2.element <> route1.element
  AND route2.entry IS DISTINCT FROM route1.exit/*unique*/
