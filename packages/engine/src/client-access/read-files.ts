import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { decide, gatherReadFacts } from '@parley/policy'
import { matchPaths } from '@parley/text'
import { type Environment, type EnvironmentFiles, whenUnknown } from '@parley/workspace'
import { type ClientPlacePorts, clientPlace, whyNot } from '../policy/client-place.ts'
import { decideSettingsIn } from '../policy/judge-command.ts'
import type { ClientEntry, ClientFileFacts, ClientFiles, ClientPath, ClientRead } from '../ports/client-files.ts'
import { fileSurroundings } from '../tools/contract/define-tool.ts'
import { listFiles } from './find-files.ts'

/** Entries of a folder that a client gets at most. */
const mostEntries = 100_000

export function createClientFiles(ports: ClientPlacePorts): ClientFiles {
  return {
    read: (path, maxBytes) =>
      judged({ ...path, tool: 'read_file' }, ports, async (real, files) => {
        await using file = await files.open(real)
        if (file.kind !== 'file' || file.sizeBytes > maxBytes) return null
        const filter = ports.redaction.filter()
        const shown = Buffer.from(filter.push(Buffer.from(await file.read(0, file.sizeBytes))))
        return Buffer.concat([shown, filter.end(false)])
      }),
    list: (path) =>
      judged({ ...path, tool: 'list_dir' }, ports, async (real, files) => {
        const { entries } = await files.list(real, mostEntries)
        return Promise.all(
          entries.map(async ({ name, kind }) => ({
            name,
            kind: kind === 'link' ? await leadsTo(join(real, name), files) : kind,
          })),
        )
      }),
    find: (path, query) =>
      judged({ ...path, tool: 'search', recursive: true }, ports, async (real, _, environment) =>
        matchPaths(await listFiles(environment, { cwd: real, roots: [real] }), query),
      ),
    look: (path) =>
      judged({ ...path, tool: 'read_file' }, ports, async (real): Promise<ClientFileFacts> => {
        const [itself, target] = await Promise.all([lstat(path.path), stat(real)])
        return {
          kind: target.isFile() ? 'file' : target.isDirectory() ? 'folder' : 'other',
          isLink: itself.isSymbolicLink(),
          createdAtMs: Math.round(target.birthtimeMs),
          modifiedAtMs: Math.round(target.mtimeMs),
        }
      }),
  }
}

interface JudgedRead extends ClientPath {
  /** Tool whose call it is judged as. */
  readonly tool: string
  readonly recursive?: boolean
}

/** Calls `read` with the real path if policy allows it unasked. */
async function judged<Found>(
  { path, cwd, tool, recursive = false }: JudgedRead,
  ports: ClientPlacePorts,
  read: (real: string, files: EnvironmentFiles, environment: Environment) => Promise<Found>,
): Promise<ClientRead<Found>> {
  const place = await clientPlace({ cwd }, ports)
  if ('reason' in place) return { kind: 'refused', ...place }
  const { environment, settings } = place
  const workspace = { cwd: place.cwd, roots: [place.cwd, ...settings.writableRoots] }
  const around = await fileSurroundings(environment, workspace)
  const facts = await gatherReadFacts({ tool, paths: [path], recursive }, around)
  const decision = decide(facts, await decideSettingsIn(place))
  const real = facts.paths[0]?.real
  if (decision.verdict !== 'allow' || real === undefined) return { kind: 'refused', reason: whyNot(decision) }
  return { kind: 'found', found: await read(real, environment.files, environment) }
}

async function leadsTo(link: string, files: EnvironmentFiles): Promise<ClientEntry['kind']> {
  const target = await files.look(link).catch(whenUnknown(null))
  return target?.kind ?? 'other'
}
