import * as z from 'zod'

// Before any schema is made. zod would compile each at its first use, which takes as long as a thousand uses without:
// 8 ms of a start, and no schema is on the path of a delta.
z.config({ jitless: true })
