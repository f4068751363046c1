import { memoryChoices, type ShownMemory } from '@parley/presentation/commands/memory-words'
import { themeNames } from '@parley/presentation/commands/setting-choices'
import { modelSettings } from '@parley/presentation/commands/slash-commands'
import { approvalPolicies, modeNamed, pairOf, type SettingsPatch, sandboxModes } from '@parley/protocol'
import { takeForward } from './choices/forward.ts'
import {
  fillConversations,
  finishChange,
  keepFound,
  keepPreview,
  nextView,
  openConversationMenu,
  withPicker,
} from './choices/press-in-picker.ts'
import { takeProcess } from './choices/type-by-command.ts'
import { chord } from './composer/command.ts'
import { addOlder, goOnBefore } from './earlier-message.ts'
import type { KeyEvent } from './keys/key-event.ts'
import { settleMs } from './keys/key-meaning.ts'
import { type BackgroundUse, backgroundCommands, backgroundRows } from './menu/background-rows.ts'
import {
  chosenRow,
  filledMenu,
  type Menu,
  type MenuKind,
  type MenuRow,
  moveOrFilter,
  newMenu,
  plainRow,
} from './menu/menu.ts'
import { approvalRows, effortRows, modeRows, sandboxRows, themeRows } from './menu/setting-rows.ts'
import { underCeiling } from './menu/wider-limits.ts'
import { askWhatGoesBack, planBefore, takeBack } from './rewind.ts'
import { loginWays, stepTo, type UiAction, type UiContext, type UiStep } from './state/actions.ts'
import { addNote, changePart, type UiState } from './state/ui-state.ts'

/**
 * Handles keys of the open menu: Enter takes the chosen row, other keys move the choice or edit the filter. Enter does
 * nothing while the list has just come, or a warning was just shown.
 */
export function pressInMenu(ui: UiState, menu: Menu, event: KeyEvent, context: UiContext): UiStep {
  const { nowMs } = context
  if (event.kind === 'key' && event.name === 'tab' && menu.picker !== null && menu.picker.doing?.kind !== 'rename')
    return nextView(ui, menu, menu.picker)
  if (event.kind !== 'key' || !isTaking(menu, chord(event))) return withPicker(ui, moveOrFilter(menu, event))
  if (nowMs - menu.changedAtMs < settleMs) return stepTo(ui)
  const changed = finishChange(ui, menu)
  if (changed !== null) return changed
  const row = chosenRow(menu)
  if (row === null) return takeTyped(ui, menu)
  if (row.isDisabled) return stepTo(ui)
  if (row.warning !== null && menu.confirming !== row.key)
    return stepTo({ ...ui, menu: { ...menu, confirming: row.key, changedAtMs: nowMs } })
  return takeRow(ui, menu.kind, row, context)
}

/** Tells if a key takes the chosen row: Enter, and → where it opens something and there is no text to move in. */
function isTaking({ kind, filter }: Menu, key: string): boolean {
  return key === 'enter' || (key === 'right' && kind === 'background' && filter.text === '')
}

function takeRow(ui: UiState, kind: MenuKind, row: MenuRow, { state }: UiContext): UiStep {
  const closed = { ...ui, menu: null }
  // A conversation that was taken away can be opened again, once a user gave it back.
  const isOpen = kind !== 'resume' || ui.opened?.heldTo !== 'none'
  if (row.isCurrent && isOpen) return stepTo(closed)
  switch (kind) {
    case 'resume':
    case 'attach':
      return row.listed === null
        ? stepTo(closed)
        : stepTo(ui, { kind: 'open', conversationId: row.listed.conversationId })
    case 'messages':
      return goOnBefore(closed, { itemId: row.key }, state)
    case 'login': {
      const [provider = '', way] = row.key.split(' ')
      return stepTo(closed, { kind: 'logIn', provider, way: loginWays.find((one) => one === way) ?? 'key' })
    }
    case 'background':
      return stepTo(closed, { kind: 'showProcess', process: { itemId: row.key, title: row.text } })
    case 'stopBackground':
      return stepTo(closed, { kind: 'stopShell', itemIds: [row.key] })
    case 'typeInBackground':
      return takeProcess(closed, row.key)
    case 'logout':
      return stepTo(closed, { kind: 'logOut', provider: row.key })
    case 'rewind':
      return planBefore(closed, row.key, state)
    case 'remember':
      return takeMemory(closed, row.key, ui.menu?.memory ?? null)
    case 'forward':
      return takeForward(closed, row.key)
    case 'rewindChoice':
      return takeBack(closed, row.key, state)
    case 'model':
      return configured(closed, modelSettings(row.key))
    case 'effort':
      return configured(closed, { effort: row.key })
    case 'mode': {
      const mode = modeNamed(row.key)
      return mode === undefined ? stepTo(closed) : configured(closed, pairOf(mode))
    }
    case 'approvals': {
      const approvalPolicy = approvalPolicies.find((policy) => policy === row.key)
      return approvalPolicy === undefined ? stepTo(closed) : configured(closed, { approvalPolicy })
    }
    case 'theme': {
      const theme = themeNames.find((name) => name === row.key)
      return theme === undefined
        ? stepTo(closed)
        : stepTo(changePart(closed, 'look', { theme }), { kind: 'keepTheme', theme })
    }
    case 'sandbox': {
      const sandbox = sandboxModes.find((mode) => mode === row.key)
      return sandbox === undefined ? stepTo(closed) : configured(closed, { sandbox })
    }
  }
}

/** Uses the typed text as a model's name where no model matches: a provider may list no models. */
function takeTyped(ui: UiState, { kind, rows, filter }: Menu): UiStep {
  const typed = filter.text.trim()
  if (kind !== 'model' || rows === null || typed === '') return stepTo(ui)
  return configured({ ...ui, menu: null }, modelSettings(typed))
}

function configured(ui: UiState, settings: SettingsPatch): UiStep {
  return stepTo(ui, { kind: 'configure', settings })
}

/** Opens a list that the command line asks for, or fills the open menu with the server's rows. */
export function updateMenu(ui: UiState, action: MenuAction, context: UiContext): UiStep {
  switch (action.kind) {
    case 'pick':
      return openConversationMenu(ui, action, context.nowMs)
    case 'listed':
      return fillConversations(ui, action, context)
    case 'menuFilled':
      return stepTo(fillMenu(ui, action, context))
    case 'previewed':
      return keepPreview(ui, action)
    case 'textsFound':
      return keepFound(ui, action)
    case 'olderRead':
      return stepTo(addOlder(ui, action.messages, context))
    case 'rewindPlanned':
      return askWhatGoesBack(ui, action.rewind, context)
    case 'rememberPlanned':
      return askToRemember(ui, action.memory, context)
    case 'filesTakenBack':
      return goOnBefore(ui, action, context.state)
  }
}

type MenuAction = Extract<
  UiAction,
  {
    kind:
      | 'pick'
      | 'listed'
      | 'menuFilled'
      | 'previewed'
      | 'textsFound'
      | 'olderRead'
      | 'rewindPlanned'
      | 'rememberPlanned'
      | 'filesTakenBack'
  }
>

/** Opens the list of models, which the providers are asked for. */
export function openModelMenu(ui: UiState, { nowMs }: UiContext): UiStep {
  return stepTo({ ...ui, menu: newMenu({ kind: 'model', title: 'Model', rows: null }, nowMs) }, { kind: 'models' })
}

interface WantedLogin {
  readonly kind: 'login' | 'logout'
  /** Provider that was named with the command; empty without one. */
  readonly sought: string
}

/** Opens the list of providers to log in to, or of the logins that are kept; the server is asked for either. */
export function openLoginMenu(ui: UiState, { kind, sought }: WantedLogin, { nowMs }: UiContext): UiStep {
  const title = kind === 'login' ? 'Log in' : 'Log out'
  return stepTo({ ...ui, menu: newMenu({ kind, title, rows: null, sought }, nowMs) }, { kind: 'logins', menu: kind })
}

export function openThemeMenu(ui: UiState, { nowMs }: UiContext): UiStep {
  return stepTo({ ...ui, menu: newMenu({ kind: 'theme', title: 'Colours', rows: themeRows(ui.look.theme) }, nowMs) })
}

const settingMenus = {
  effort: { title: 'Effort', rowsOf: effortRows },
  mode: { title: 'Mode', rowsOf: modeRows },
  approvals: { title: 'When to ask', rowsOf: approvalRows },
  sandbox: { title: 'What commands may write to', rowsOf: sandboxRows },
} as const

/** Opens the list of commands in the background, where Enter shows the output of one, or twice stops it. */
export function openBackgroundMenu(ui: UiState, use: BackgroundUse, { state, nowMs }: UiContext): UiStep {
  const commands = backgroundCommands(ui.work, state)
  if (commands.length === 0) return stepTo(addNote(ui, 'info', 'No command runs in the background.'))
  const rows = backgroundRows(commands, use, nowMs)
  const kind = use === 'open' ? 'background' : 'stopBackground'
  return stepTo({ ...ui, menu: newMenu({ kind, title: 'In the background', rows }, nowMs) })
}

/** Opens the choices of a setting, with the one in force chosen. */
export function openSettingMenu(ui: UiState, kind: keyof typeof settingMenus, { state, nowMs }: UiContext): UiStep {
  if (state === null) return stepTo(ui)
  const { title, rowsOf } = settingMenus[kind]
  const rows = underCeiling(rowsOf(state.core.settings), state.core, ui.opened?.ceiling)
  return stepTo({ ...ui, menu: newMenu({ kind, title, rows }, nowMs) })
}

/** Fills a menu that waits for its rows; does nothing once another one is open. */
function fillMenu(ui: UiState, { menu: kind, rows, problem }: Filled, { nowMs }: UiContext): UiState {
  const { menu } = ui
  return menu?.kind === kind ? { ...ui, menu: { ...filledMenu(menu, rows, nowMs), problem } } : ui
}

type Filled = Extract<UiAction, { kind: 'menuFilled' }>

/** Asks if the line that is shown is to be written, or into the other file. */
function askToRemember(ui: UiState, memory: ShownMemory, { nowMs }: UiContext): UiStep {
  const row = (key: string, text: string, detail: string): MenuRow => ({ ...plainRow, key, text, detail })
  const rows = [
    // Chosen at first, so that an Enter too many changes no file.
    row('nothing', 'nothing', 'all stays as it is'),
    ...memoryChoices(memory).map(({ key, text, detail }) => row(key, text, detail)),
  ]
  const menu = newMenu({ kind: 'remember', title: 'Remember it?', rows }, nowMs)
  return stepTo({ ...ui, menu: { ...menu, memory } })
}

/** Takes a choice of what becomes of the line. */
function takeMemory(ui: UiState, choice: string, memory: ShownMemory | null): UiStep {
  if (memory === null) return stepTo(ui)
  const { text, where } = memory
  if (choice === 'write') return stepTo(ui, { kind: 'remember', memory })
  if (choice !== 'other') return stepTo(ui)
  return stepTo(ui, { kind: 'planRemember', text, where: where === 'project' ? 'user' : 'project' })
}
