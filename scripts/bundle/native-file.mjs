import { fileURLToPath } from 'node:url'

/** Stands in for packages/host/src/channels/native-file.ts, which looks into a package that the bundle has not. */
export const nativeFile = (name) => fileURLToPath(new URL(`./${name}`, import.meta.url))
