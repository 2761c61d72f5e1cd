-- Sensors that monitor six segments in a row.
SELECT m1.target, s1.element, s2.element, s3.element, s4.element, s5.element, s6.element
FROM segment s1
JOIN trackelement_monitoredby m1 ON m1.source = s1.element
JOIN trackelement_connectsto c1 ON c1.source = s1.element
JOIN segment s2 ON s2.element = c1.target
JOIN trackelement_monitoredby m2 ON m2.source = s2.element AND m2.target = m1.target
JOIN trackelement_connectsto c2 ON c2.source = s2.element
JOIN segment s3 ON s3.element = c2.target
JOIN trackelement_monitoredby m3 ON m3.source = s3.element AND m3.target = m1.target
JOIN trackelement_connectsto c3 ON c3.source = s3.element
JOIN segment s4 ON s4.element = c3.target
JOIN trackelement_monitoredby m4 ON m4.source = s4.element AND m4.target = m1.target
JOIN trackelement_connectsto c4 ON c4.source = s4.element
JOIN segment s5 ON s5.element = c4.target
JOIN trackelement_monitoredby m5 ON m5.source = s5.element AND m5.target = m1.target
JOIN trackelement_connectsto c5 ON c5.source = s5.element
JOIN segment s6 ON s6.element = c5.target
JOIN trackelement_monitoredby m6 ON m6.source = s6.element AND m6.target = m1.target
WHERE TRUE/*unique*/
