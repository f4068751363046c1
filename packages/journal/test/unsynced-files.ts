import type { Files } from '../src/disk/files.ts'
import { nodeFiles } from '../src/disk/node-files.ts'

/** The real disk without waiting for it: no test here pulls the plug, and thousands of syncs take their time. */
export const unsyncedFiles: Files = { ...nodeFiles, sync: async () => {}, syncFolder: async () => {} }
