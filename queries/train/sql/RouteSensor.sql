-- Sensors that monitor a switch of a route, but are not required by the route.
SELECT swp.route, monitored.target, swp.element, swp.target
FROM switchposition swp
JOIN trackelement_monitoredby monitored ON monitored.source = swp.target
WHERE NOT EXISTS (
  SELECT FROM route_requires required
  WHERE required.source = swp.route AND required.target = monitored.target
)/*unique*/
