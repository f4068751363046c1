import type { ListedHook } from '@parley/protocol'
import type { Notice } from './notice.ts'
import { escapedLine, type LabelledText } from './trust-table.ts'

const noHooks = 'There are no hooks here. docs/hooks.md says how to write them.'

/** Returns the hooks of a folder in running order, untrusted ones included. */
export function hooksTable({ hooks }: { readonly hooks: readonly ListedHook[] }): Notice {
  if (hooks.length === 0) return { kind: 'note', level: 'info', text: noHooks }
  return { kind: 'table', title: 'Hooks, in the order in which they run', rows: hookRows(hooks) }
}

/** Returns the event and the description of each hook, with hidden characters shown. */
export function hookRows(hooks: readonly ListedHook[]): readonly LabelledText[] {
  return hooks.map((hook) => [
    escapedLine(hook.matcher === undefined ? hook.on : `${hook.on} ${hook.matcher}`),
    escapedLine(aboutHook(hook)),
  ])
}

function aboutHook({ name, command, source, timeoutMs, required, outsideSandbox, runs }: ListedHook): string {
  const typed = typeof command === 'string' ? command : command.join(' ')
  const words = [
    source,
    ...(runs ? [] : ['does not run: not trusted as it is now']),
    `${timeoutMs / 1000} s`,
    ...(required ? ['required'] : []),
    ...(outsideSandbox ? ['outside the sandbox'] : []),
  ]
  return `${typed === name ? typed : `${name}: ${typed}`} (${words.join(', ')})`
}
