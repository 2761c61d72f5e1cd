-- Switches that no sensor monitors.
SELECT sw.element
FROM switch sw
WHERE NOT EXISTS (SELECT FROM trackelement_monitoredby m WHERE m.source = sw.element)/*unique*/
