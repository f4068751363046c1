import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const distFolder = join(root, 'apps/tui/dist')
/** Folder that the launcher reads: stamp, version, the Node to run. */
export const buildFolder = join(root, '.parley-build')
