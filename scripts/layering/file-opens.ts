import type { Source } from './sources.ts'

/** Packages of the process that holds the locks of conversations. */
const holders = [
  'server',
  'engine',
  'serving',
  'team',
  'frontends',
  'exec-server',
  'host',
  'journal',
  'redaction',
  'config',
  'models',
  'workspace',
  'policy',
  'mcp-client',
  'credentials',
].map((name) => `packages/${name}/src/`)

/** Imports of `node:fs` that open a file by its path, by whatever name they get, or that have all such functions. */
const openers =
  /^(open|openSync|openAsBlob|(read|write|append|copy)File(Sync)?|create(Read|Write)Stream|(cp|truncate)(Sync)?|promises|default|\*|fs)( as \w+)?$/

/** Sources that may open by path: new files, folders, descriptors, and paths below /proc and /dev. */
const exempt: readonly string[] = [
  'packages/host/src/system/locked-files.ts',
  'packages/host/src/system/descriptor-shield.ts',
  'packages/host/src/system/own-access.ts',
  'packages/host/src/system/private-file.ts',
  'packages/host/src/system/process-table.ts',
  'packages/host/src/channels/fifo-pool.ts',
  'packages/host/src/channels/fifo-channels.ts',
  'packages/host/src/output/spool.ts',
  'packages/host/src/sandbox/anonymous-file.ts',
  'packages/host/src/sandbox/bubblewrap/mount-table.ts',
  'packages/host/src/sandbox/bubblewrap/wrap-command.ts',
  'packages/host/src/run/launch.ts',
  'packages/host/src/git/git-folder.ts',
  'packages/host/src/paths/move-aside.ts',
  'packages/host/src/paths/restore-guarded.ts',
  'packages/host/src/paths/remembered-files.ts',
  'packages/host/src/sandbox/probe/targets.ts',
  'packages/host/src/sandbox/probe/finding-cache.ts',
  'packages/host/src/sandbox/probe/reasons.ts',
  'packages/exec-server/src/output/ring.ts',
  'packages/journal/src/disk/node-files.ts',
  'packages/journal/src/disk/synced-files.ts',
  'packages/workspace/src/look-up/copy-tree.ts',
  'packages/workspace/src/files/open-real-path.ts',
  'packages/workspace/src/patch/apply/disk-patch-files.ts',
  'packages/redaction/src/redaction-key.ts',
  // An operator may hand secrets over by a pipe.
  'packages/team/src/store/connection/connect-store.ts',
  'packages/team/src/store/connection/tls-trouble.ts',
]

/** Returns opens that bypass `locked-files`: closing a lock's file anywhere in the process drops the lock. */
export function openViolations({ path, text }: Source): string[] {
  if (exempt.includes(path) || !holders.some((folder) => path.startsWith(folder))) return []
  const imports = [...text.matchAll(/^import (?!type )([^;']*?) from 'node:fs(?:\/promises)?'/gm)]
  const names = imports.flatMap(([, named = '']) => named.replace(/[{}]/g, '').split(','))
  const opening = names.map((name) => name.trim()).filter((name) => openers.test(name))
  return opening.map((name) => `${path} opens with ${name}; use openUnlocked and its like of @parley/host`)
}
