MATCH (segment:Segment)
WHERE segment.length <= 0/*unique*/
RETURN segment._index
