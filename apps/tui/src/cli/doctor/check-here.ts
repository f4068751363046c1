import type { Check } from '@parley/protocol'

interface Here {
  readonly node: string
  readonly isTerminal: boolean
  readonly columns: number | undefined
  readonly rows: number | undefined
}

const leastNode = 24
const leastColumns = 40
const leastRows = 10

/** What only the process in the terminal can tell: its Node, and what the terminal is said to be. */
export function checkHere(env: Readonly<Record<string, string | undefined>>, here: Here): readonly Check[] {
  return [checkNode(here.node), checkTerminal(env, here), checkLetters(env)]
}

function checkNode(version: string): Check {
  const major = Number(/^v(\d+)/.exec(version)?.[1])
  if (major >= leastNode) return { name: 'node', level: 'ok', text: version }
  return {
    name: 'node',
    level: 'problem',
    text: `${version} is older than ${leastNode}`,
    remedy: 'Start parley by its launcher, which brings its own.',
  }
}

function checkTerminal(env: Readonly<Record<string, string | undefined>>, here: Here): Check {
  const { isTerminal, columns = 0, rows = 0 } = here
  const name = 'terminal'
  if (!isTerminal) return { name, level: 'ok', text: 'none here: stdout is a file or a pipe' }
  const term = env['TERM'] ?? ''
  if (term === '' || term === 'dumb')
    return {
      name,
      level: 'warning',
      text: `TERM is ${term === '' ? 'not set' : term}: the screen cannot be drawn`,
      remedy: 'Use parley exec, or a terminal that moves its cursor.',
    }
  if (columns < leastColumns || rows < leastRows)
    return {
      name,
      level: 'warning',
      text: `${term}, ${columns}×${rows}: questions may not fit`,
      remedy: `Make it at least ${leastColumns}×${leastRows}.`,
    }
  return { name, level: 'ok', text: `${term}, ${columns}×${rows}${env['NO_COLOR'] ? ', without colour' : ''}` }
}

/** Box lines and look-alike marks need UTF-8. */
function checkLetters(env: Readonly<Record<string, string | undefined>>): Check {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  const name = 'letters'
  if (/utf-?8/i.test(locale)) return { name, level: 'ok', text: locale }
  return {
    name,
    level: 'warning',
    text: locale === '' ? 'no locale is set' : `the locale is ${locale}, which is not UTF-8`,
    remedy: 'Set LANG to a UTF-8 locale, such as C.UTF-8, unless the terminal takes UTF-8 anyway.',
  }
}
