import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Beside the program, so that it is removed with it. Without write access there is no cache.
enableCompileCache(join(import.meta.dirname, 'compile-cache'))
await import('./start.ts')
