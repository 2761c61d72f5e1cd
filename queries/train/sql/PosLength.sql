-- Segments whose length is not positive.
SELECT element FROM segment WHERE length <= 0/*unique*/
