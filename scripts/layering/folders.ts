import { posix } from 'node:path'
import { isRelative, targetOf } from './import-rules.ts'
import type { Source } from './sources.ts'

const filesPerFolder = 15
/** Lines of the middle source when all are ordered by length, without tests. */
const medianLines = { least: 60, most: 120 } as const
/** A package with more sources needs a decision page that names it. */
const packageLimit = 120
const shortLines = 20
const shortShare = 0.05

/**
 * Folders of a package from the lowest to the highest: a source imports from its own folder and from lower ones only.
 * `.` is the package's `src` itself. A folder that is not listed is a finding; until it is, it belongs to its nearest
 * listed parent.
 */
const folderOrder: Readonly<Record<string, readonly string[]>> = {
  'packages/policy': [
    'decision/rules',
    'decision/kinds',
    'decision/kinds/command',
    'decision',
    'shell',
    'facts',
    'policy-file',
    'trust',
    '.',
  ],
  'packages/rpc': ['transport', 'websocket', 'peer', '.'],
  'packages/workspace': [
    'files',
    'look-up/globs',
    'look-up',
    'patch',
    'patch/parse',
    'patch/place',
    'patch/plan',
    'patch/apply',
    'history',
    'remote',
    'remote/processes',
    'environment',
    '.',
  ],
  'packages/host': [
    'time',
    'system',
    'git',
    'variables',
    'paths',
    'output',
    'channels',
    'sandbox',
    'sandbox/seccomp',
    'sandbox/landlock',
    'sandbox/bubblewrap',
    'sandbox/loopback',
    'sandbox/macos',
    'sandbox/probe',
    'run',
    '.',
  ],
  'packages/redaction': ['scan', '.'],
  'packages/mcp-client': ['replies', '.'],
  'packages/journal': ['disk', 'line', 'log', 'sessions', 'search', 'bundle', '.'],
  'packages/team': ['store/connection', 'store/servers', 'store/log', 'store', 'people', '.'],
  'packages/protocol': [
    'modes',
    'review',
    'schema',
    'schema/params',
    'schema/methods',
    'schema/exec',
    'access',
    'calls',
    'reduce',
    'recover',
    '.',
  ],
  'packages/engine': [
    'ports',
    'core/skills',
    'core/turn-ends',
    'core/view',
    'core/compaction',
    'core',
    'replies',
    'conversation',
    'forward',
    'tools/contract',
    'tools/changes',
    'tools/processes',
    'tools/questions',
    'tools/review',
    'tools/skills',
    'tools/mcp',
    'tools',
    'session',
    'read',
    'limits',
    'people',
    'bundle',
    'search',
    'context',
    'stored',
    'settings',
    'login',
    'policy',
    'history',
    'project',
    'hooks',
    'roles',
    'skills',
    'messages',
    'calls',
    'model-calls',
    'compaction',
    'turn',
    'live',
    'client-access',
    'user-changes',
    'commands',
    'checkup',
    'load',
    'metrics',
    'sharing',
    'open',
    'editor',
    'replay/log',
    'replay/ports',
    'replay',
    '.',
  ],
  'packages/credentials': ['.'],
  'packages/serving': ['.'],
  'packages/exec-server': ['output', 'wire', 'sandbox', 'ports', 'files', '.', 'program'],
  'packages/frontends': [
    'codex-events',
    '.',
    'mcp/approvals',
    'mcp/turns',
    'mcp/tools',
    'mcp',
    'mcp/http',
    'acp/settings',
    'acp/updates',
    'acp/questions',
    'acp/servers',
    'acp',
    'app-server/wire',
    'app-server/shapes',
    'app-server/commands',
    'app-server/threads',
    'app-server/methods',
    'app-server',
  ],
  'packages/server': [
    'frontends/web',
    'frontends/conversation',
    'programs',
    'programs/acp',
    'programs/app-server',
    'programs/mcp-server',
    'programs/server',
    'programs/store',
    '.',
  ],
  'packages/config': ['.'],
  'packages/text': ['characters', '.'],
  'packages/client': ['connection', 'team', 'server', 'conversation', '.'],
  'packages/presentation': [
    'text',
    'markdown',
    'highlight',
    'composer',
    'limits',
    'processes',
    'rewind',
    'question',
    'items',
    'notices',
    'commands',
  ],
  'apps/tui': [
    'view/text',
    'view/review',
    'view/markdown',
    'ui/keys',
    'ui/composer',
    'ui/complete',
    'ui/menu',
    'ui/link',
    'ui/processes',
    'ui/state',
    'ui/people',
    'ui/choices',
    'ui',
    'ui/update',
    'view/approval',
    'view/transcript',
    'view/pager',
    'view/documents',
    'ui/pager',
    'view/live',
    'view',
    'view/plain',
    'cli',
    'processes',
    'terminal',
    'programs/git',
    'programs',
    'scripted/answers',
    'scripted/end',
    'scripted/output',
    'scripted/reports',
    'scripted/reports/codex',
    'scripted/input',
    'scripted/review',
    'scripted',
    'files',
    'conversation/lists',
    'conversation/pager',
    'conversation',
    'screen',
    'ink',
    'plain',
    'commands/export',
    'commands/hooks',
    'commands/kept',
    'commands/own-copy',
    'commands/page',
    'commands/people',
    'commands',
    'command-line',
    '.',
  ],
  'apps/web': [
    'link',
    'words',
    'ui/begin',
    'ui/transcript',
    'ui/question',
    'ui/forwards',
    'ui/people',
    'ui/processes',
    'ui/remember',
    'ui/composer',
    'ui/rewind',
    'ui',
    'frozen',
    '.',
  ],
  'packages/testkit': ['properties', 'images', 'disk', 'faults', 'repositories', 'wires', 'strict', '.'],
  'packages/models': [
    'port',
    'http',
    'check',
    'catalogue',
    'failures',
    'exchange',
    'tool-schemas',
    'wires',
    'wires/anthropic',
    'wires/chat',
    'wires/gemini',
    'wires/plugin',
    'wires/recorded',
    'wires/responses',
    '.',
  ],
}

/** Returns the folders with sources that have no place in the order of their package. */
export function unorderedFolderViolations(sources: readonly Source[]): string[] {
  const folders = new Map(sources.filter(({ isTest }) => !isTest).map(({ path, home }) => [posix.dirname(path), home]))
  return [...folders]
    .filter(([folder, home]) => !folderOrder[home]?.includes(posix.relative(`${home}/src`, folder) || '.'))
    .map(([folder]) => `${folder} has no place in the order of folders`)
    .sort()
}

/** Returns pairs of folders of one package that import each other, a folder and one inside it included. */
export function folderPairViolations(sources: readonly Source[]): string[] {
  const imports = sources.filter(({ isTest }) => !isTest).flatMap((source) => importedFolders(source))
  const counts = Map.groupBy(imports, ([from, to]) => `${from} → ${to}`)
  return [...counts].flatMap(([, [pair]]) => {
    const [from = '', to = ''] = pair ?? []
    const back = counts.get(`${to} → ${from}`)
    const there = counts.get(`${from} → ${to}`)
    return back !== undefined && from < to
      ? [`${from} and ${to} import each other (${there?.length} and ${back.length} times)`]
      : []
  })
}

function importedFolders(source: Source): (readonly [from: string, to: string])[] {
  const from = posix.dirname(source.path)
  return source.syntax.imports
    .filter(({ specifier }) => isRelative(specifier))
    .map((imported) => posix.dirname(targetOf(source, imported)))
    .filter((to) => to !== from && to.startsWith(`${source.home}/`))
    .map((to) => [from, to] as const)
}

export function folderSizeViolations(sources: readonly Source[]): string[] {
  const counts = Map.groupBy(
    sources.filter(({ isTest }) => !isTest),
    ({ path }) => posix.dirname(path),
  )
  return [...counts]
    .filter(([, files]) => files.length > filesPerFolder)
    .map(([folder, files]) => `${folder} has ${files.length} files, the limit is ${filesPerFolder}`)
}

export function folderOrderViolations(source: Source): string[] {
  const order = folderOrder[source.home]
  if (order === undefined || source.isTest) return []
  const from = listedFolder(source.path, source.home, order)
  return source.syntax.imports.flatMap((imported) => {
    if (!isRelative(imported.specifier)) return []
    const to = listedFolder(targetOf(source, imported), source.home, order)
    const isDown = order.indexOf(to) <= order.indexOf(from)
    return isDown ? [] : [`${source.path}:${imported.line} ${from} may not import ${to}`]
  })
}

function listedFolder(path: string, home: string, order: readonly string[]): string {
  let folder = posix.relative(`${home}/src`, posix.dirname(path)) || '.'
  while (folder !== '.' && !order.includes(folder)) folder = posix.dirname(folder)
  return folder
}

/** Returns violations of the limits on all sources: the median of their lengths, and the share of very short ones. */
export function splinterViolations(sources: readonly Source[]): string[] {
  const lengths = sources.filter(({ isTest }) => !isTest).map(({ text }) => text.split('\n').length - 1)
  const median = lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? medianLines.least
  const short = lengths.filter((lines) => lines <= shortLines)
  return [
    ...(median < medianLines.least || median > medianLines.most
      ? [`the median source has ${median} lines, the limits are ${medianLines.least} and ${medianLines.most}`]
      : []),
    ...(short.length > lengths.length * shortShare
      ? [`${short.length} of ${lengths.length} sources have ${shortLines} lines or fewer, the limit is 5 %`]
      : []),
  ]
}

/** Returns packages over the limit without a decision page. `decisions`: texts of docs/decisions. */
export function packageSizeViolations(sources: readonly Source[], decisions: readonly string[]): string[] {
  const homes = Map.groupBy(
    sources.filter(({ isTest }) => !isTest),
    ({ home }) => home,
  )
  return [...homes]
    .filter(([, files]) => files.length > packageLimit)
    .filter(([home]) => !decisions.some((text) => text.includes(`${home}:`)))
    .map(([home, files]) => `${home} has ${files.length} sources; over ${packageLimit} it needs a decision page`)
}
