import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { tempDirectory } from '@parley/testkit'
import { diskFiles, secretPaths } from '@parley/workspace'
import type { CommandFacts } from '../../src/decision/kinds/command/facts.ts'
import type { CommandSurroundings } from '../../src/facts/command-paths.ts'
import { gatherCommandFacts } from '../../src/facts/gather-command-facts.ts'
import { createShellParser } from '../../src/shell/parse-shell.ts'

const require = createRequire(import.meta.url)

export const shellParserFiles = {
  runtimeWasm: require.resolve('web-tree-sitter/web-tree-sitter.wasm'),
  grammarWasm: require.resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
}

/** Names that `bin` holds as programs, so that no test depends on what this machine has installed. */
const installed =
  'bash sh zsh cat ls head tail wc nl grep rg sed pwd echo true false which stat sort uniq cut tr find diff cmp file du df date whoami id uname basename dirname realpath readlink seq tac rev expr test printf git rm npm node awk xargs env sudo timeout touch curl man less python3'.split(
    ' ',
  )

/** A workspace, a home with secrets, a folder outside and a folder of programs, side by side. */
export async function testFolders() {
  const directory = await tempDirectory()
  const at = (...names: string[]) => join(directory.path, ...names)
  const [workspace, home, outside, bin] = [at('work'), at('home'), at('outside'), at('bin')]
  for (const folder of [workspace, home, outside, bin, at('home/.ssh'), at('home/.parley'), at('work/src')]) {
    await mkdir(folder)
  }
  for (const name of installed) await program(join(bin, name))
  await writeFile(at('home/.ssh/id_test'), 'secret')
  await writeFile(at('work/src/a.ts'), 'a')
  await writeFile(at('work/b.ts'), 'b')
  await symlink(at('home/.ssh/id_test'), at('work/key'))
  await symlink(at('home'), at('work/homelink'))
  await symlink(workspace, at('worklink'))
  await program(at('work/bash'))
  await program(at('work/cat'))
  const shell = createShellParser(shellParserFiles)
  const around: CommandSurroundings = {
    roots: [workspace],
    searchPath: bin,
    secrets: await secretPaths({ home, parleyHome: at('home/.parley') }, diskFiles),
    shell,
    files: diskFiles,
  }
  return {
    workspace,
    /** A link to the workspace. */
    workspaceLink: at('worklink'),
    home,
    outside,
    bin,
    around,
    run: (argv: readonly string[], changed: Partial<CommandSurroundings> = {}): Promise<CommandFacts> =>
      gatherCommandFacts(
        { tool: 'shell', argv, cwd: workspace, escalation: null, background: false },
        { ...around, ...changed },
      ),
    async [Symbol.asyncDispose]() {
      shell[Symbol.dispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

async function program(path: string): Promise<void> {
  await writeFile(path, '#!/bin/sh\n')
  await chmod(path, 0o755)
}
