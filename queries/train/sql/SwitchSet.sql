-- Switches of an active route with a green entry that are not in the position the route needs.
SELECT semaphore.element, route.element, swp.element, sw.element
FROM route
JOIN semaphore ON semaphore.element = route.entry
JOIN switchposition swp ON swp.route = route.element
JOIN switch sw ON sw.element = swp.target
WHERE route.active AND semaphore.signal = 'GO' AND sw.currentposition <> swp.position/*unique*/
