import { createRequire } from 'node:module'

/** Returns the path of node-pty's compiled part. The bundle replaces this file: there the part lies beside it. */
export function nativeFile(name: 'pty.node'): string {
  const nodePty = createRequire(import.meta.url).resolve('@lydell/node-pty')
  return createRequire(nodePty).resolve(`@lydell/node-pty-${process.platform}-${process.arch}/${name}`)
}
