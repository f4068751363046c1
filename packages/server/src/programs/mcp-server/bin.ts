import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Beside the program, so that it goes when the program goes. Where it cannot be written there is none.
enableCompileCache(join(import.meta.dirname, 'compile-cache'))
await import('./start.ts')
