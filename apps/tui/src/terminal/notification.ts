import type { EnvVariables } from '../cli/folders.ts'
import type { Telling } from '../view/title-and-bell.ts'
import { isBasic, throughTmux } from './port.ts'

/** Ways to notify, as `[tui] notifications` names them. */
export const notificationWays = ['auto', 'bell', 'osc9', 'osc777', 'osc99', 'off'] as const

export type NotificationWay = (typeof notificationWays)[number]

type ConcreteWay = Exclude<NotificationWay, 'auto'>

const osc9Programs = /^(?:iTerm\.app|iTerm2|WezTerm|ghostty|WarpTerminal)$/

/**
 * Returns the way to notify that the terminal understands, from its variables; a bell without a hint. In tmux the
 * variables describe the terminal that started the server of tmux.
 */
export function notificationWay(env: EnvVariables): ConcreteWay {
  if (isBasic(env)) return 'bell'
  const term = env['TERM'] ?? ''
  if (env['KITTY_WINDOW_ID'] !== undefined || /kitty/.test(term)) return 'osc99'
  if (osc9Programs.test(env['TERM_PROGRAM'] ?? '') || osc9Programs.test(env['LC_TERMINAL'] ?? '')) return 'osc9'
  if (env['WEZTERM_PANE'] !== undefined || env['GHOSTTY_RESOURCES_DIR'] !== undefined) return 'osc9'
  if (env['ConEmuPID'] !== undefined || /ghostty|wezterm/.test(term)) return 'osc9'
  return env['VTE_VERSION'] !== undefined || /^(?:foot|rxvt|contour)/.test(term) ? 'osc777' : 'bell'
}

/** Returns the sequences of a notification. Each includes a bell, because windows are marked by it. */
export function notificationSequence(way: NotificationWay, telling: Telling, env: EnvVariables): string {
  const chosen = way === 'auto' ? notificationWay(env) : way
  if (chosen === 'off') return ''
  const sequence = desktopSequence(chosen, telling)
  return `\x07${env['TMUX'] === undefined || sequence === '' ? sequence : throughTmux(sequence)}`
}

function desktopSequence(way: Exclude<ConcreteWay, 'off'>, { title, text }: Telling): string {
  switch (way) {
    case 'bell':
      return ''
    case 'osc9':
      return `\x1b]9;${title} ${text}\x07`
    case 'osc777':
      // A semicolon would end the title.
      return `\x1b]777;notify;${title.replaceAll(';', ',')};${text}\x07`
    case 'osc99':
      return `\x1b]99;i=parley:d=0;${title}\x1b\\\x1b]99;i=parley:d=1:p=body;${text}\x1b\\`
  }
}
