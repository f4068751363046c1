import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { distFolder, root } from './places.mjs'
import { yogaWasm } from './yoga-binary.mjs'

/** Collects the files that lie beside the bundle: parsers, ripgrep, the compiled part of node-pty, recordings. */
export function collectAssets() {
  const server = createRequire(join(root, 'packages/server/package.json'))
  const policy = createRequire(join(root, 'packages/policy/package.json'))
  const ripgrep = createRequire(server.resolve('@vscode/ripgrep'))
  const searchProgram = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`
  const host = createRequire(join(root, 'packages/host/package.json'))
  const terminals = createRequire(host.resolve('@lydell/node-pty'))
  const terminalPart = `@lydell/node-pty-${process.platform}-${process.arch}/pty.node`
  const recordings = globSync(['apps/tui/assets/*', 'packages/server/assets/*', 'packages/models/assets/*'], {
    cwd: root,
  })
  return [
    { path: join(distFolder, 'yoga.wasm'), contents: yogaWasm() },
    copyOf(policy.resolve('web-tree-sitter/web-tree-sitter.wasm')),
    copyOf(join(root, 'packages/policy/node_modules/tree-sitter-bash/tree-sitter-bash.wasm')),
    { path: join(distFolder, 'rg'), from: ripgrep.resolve(searchProgram) },
    { path: join(distFolder, 'pty.node'), from: terminals.resolve(terminalPart) },
    ...recordings.map((file) => copyOf(join(root, file), 'assets')),
  ]
}

function copyOf(file, folder = '') {
  return { path: join(distFolder, folder, basename(file)), contents: readFileSync(file), source: file }
}
