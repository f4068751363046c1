import { readFix } from '@parley/presentation/commands/fix-request'
import { draftRequest } from '@parley/presentation/commands/memory-words'
import { readReviewWords } from '@parley/presentation/commands/review-words'
import { themeNames } from '@parley/presentation/commands/setting-choices'
import { accessTable, readShare } from '@parley/presentation/commands/share-words'
import {
  modelSettings,
  type ParsedCommand,
  parseSlash,
  type SlashName,
} from '@parley/presentation/commands/slash-commands'
import { approvalPolicies, efforts, modeNamed, modeNames, modeOf, pairOf, sandboxModes } from '@parley/protocol'
import { runForward } from './choices/forward.ts'
import { openConversationMenu } from './choices/press-in-picker.ts'
import { typeInBackground } from './choices/type-by-command.ts'
import {
  addAllKeys,
  addPlan,
  commandHelp,
  noteMissing,
  noteNoChoice,
  noteReadOnly,
  noteUnknown,
} from './command-notes.ts'
import { maySend } from './people/held-role.ts'
import { openBackgroundMenu, openLoginMenu, openModelMenu, openSettingMenu, openThemeMenu } from './press-in-menu.ts'
import { openRewind, undoLast } from './rewind.ts'
import { copiedParts, stepTo, type UiContext, type UiStep } from './state/actions.ts'
import { addNote, addNotice, changePart, hold, type UiState } from './state/ui-state.ts'

export function runSlash(ui: UiState, command: ParsedCommand, context: UiContext): UiStep {
  if (command.kind === 'unknown') return stepTo(noteUnknown(ui, command))
  const run = commands[command.name]
  if (ui.opened?.onlyWatches === true && beginsAnother.has(command.name)) return stepTo(noteReadOnly(ui))
  if (isReady(ui) || needsNothing.has(command.name)) return run(ui, command.argument, context)
  if (ui.opened === null && ui.connection.link.kind !== 'lost')
    return stepTo(
      changePart(ui, 'outbox', { earlyCommands: [...ui.outbox.earlyCommands, `/${command.name} ${command.argument}`] }),
    )
  return stepTo(addNote(ui, 'warning', `/${command.name} has to wait until the server answers.`))
}

/** Runs commands that were entered before the conversation was open, up to one that opens another conversation. */
export function runEarlyCommands(ui: UiState, context: UiContext): UiStep {
  const [first, ...later] = ui.outbox.earlyCommands
  const command = first === undefined ? null : parseSlash(first)
  if (command === null) return stepTo(ui)
  const { ui: next, intents } = runSlash(changePart(ui, 'outbox', { earlyCommands: [] }), command, context)
  if (intents.some(({ kind }) => kind === 'new' || kind === 'fork' || kind === 'leave'))
    return stepTo(changePart(next, 'outbox', { earlyCommands: later }), ...intents)
  const rest = runEarlyCommands(changePart(next, 'outbox', { earlyCommands: later }), context)
  return stepTo(rest.ui, ...intents, ...rest.intents)
}

type Run = (ui: UiState, argument: string, context: UiContext) => UiStep

/** Commands that work before a conversation is open. */
const needsNothing: ReadonlySet<SlashName> = new Set(['help', 'keys', 'theme', 'detach', 'quit'])

/** Commands not available to a client that only watches. */
const beginsAnother: ReadonlySet<SlashName> = new Set(['fork', 'new', 'clear', 'rewind', 'undo'])

function isReady({ connection: { link }, opened }: UiState): boolean {
  return link.kind === 'up' && opened !== null
}

const commands: Readonly<Record<SlashName, Run>> = {
  help: (ui) => stepTo(addNotice(ui, commandHelp)),
  keys: (ui) => stepTo(addAllKeys(ui)),
  model: (ui, argument, context) =>
    argument === '' ? openModelMenu(ui, context) : stepTo(ui, { kind: 'configure', settings: modelSettings(argument) }),
  effort(ui, argument, context) {
    if (argument === '') return openSettingMenu(ui, 'effort', context)
    const effort = efforts.find((level) => level === argument)
    if (effort !== undefined) return stepTo(ui, { kind: 'configure', settings: { effort } })
    const current = context.state?.core.settings.effort ?? "the model's default"
    return stepTo(noteNoChoice(ui, { what: 'Effort', argument, current, choices: efforts }))
  },
  mode(ui, argument, context) {
    if (argument === '') return openSettingMenu(ui, 'mode', context)
    const mode = modeNamed(argument)
    if (mode !== undefined) return stepTo(ui, { kind: 'configure', settings: pairOf(mode) })
    const current = context.state === null ? undefined : modeOf(context.state.core.settings)
    return stepTo(noteNoChoice(ui, { what: 'Mode', argument, current, choices: modeNames }))
  },
  approvals(ui, argument, context) {
    if (argument === '') return openSettingMenu(ui, 'approvals', context)
    const approvalPolicy = approvalPolicies.find((policy) => policy === argument)
    if (approvalPolicy !== undefined) return stepTo(ui, { kind: 'configure', settings: { approvalPolicy } })
    const current = context.state?.core.settings.approvalPolicy
    return stepTo(noteNoChoice(ui, { what: 'Approvals', argument, current, choices: approvalPolicies }))
  },
  sandbox(ui, argument, context) {
    if (argument === '') return openSettingMenu(ui, 'sandbox', context)
    const sandbox = sandboxModes.find((mode) => mode === argument)
    if (sandbox !== undefined) return stepTo(ui, { kind: 'configure', settings: { sandbox } })
    const current = context.state?.core.settings.sandbox
    return stepTo(noteNoChoice(ui, { what: 'Sandbox', argument, current, choices: sandboxModes }))
  },
  why: (ui, item) => stepTo(ui, item === '' ? { kind: 'why' } : { kind: 'why', item }),
  copy: runCopy,
  transcript: (ui) => stepTo(ui, { kind: 'showTranscript', at: 'end' }),
  compact: (ui, what) => stepTo(ui, what === 'undo' ? { kind: 'undoCompaction' } : { kind: 'compact', what }),
  repair(ui, what) {
    if (what === 'undo') return stepTo(ui, { kind: 'undoCompaction' })
    return stepTo(ui, what === 'half' ? { kind: 'leaveOut', half: true } : { kind: 'leaveOut' })
  },
  rewind: (ui, _, context) => openRewind(ui, context),
  undo: (ui, _, context) => undoLast(ui, context),
  diff: (ui) => stepTo(ui, { kind: 'diff' }),
  review(ui, argument) {
    const asked = readReviewWords(argument)
    return asked === null ? stepTo(noteMissing(ui, 'review')) : stepTo(ui, { kind: 'review', ...asked })
  },
  fix: runFix,
  plan: (ui, _, { state }) => stepTo(addPlan(ui, state?.core.plan ?? null)),
  status: (ui) => stepTo(ui, { kind: 'status' }),
  ps(ui, argument, context) {
    const typed = /^type (.+)$/s.exec(argument)?.[1]
    if (typed !== undefined) return typeInBackground(ui, typed, context)
    return argument === '' || argument === 'stop'
      ? openBackgroundMenu(ui, argument === '' ? 'open' : 'stop', context)
      : stepTo(noteMissing(ui, 'ps'))
  },
  forward: runForward,
  hooks: (ui) => stepTo(ui, { kind: 'hooks' }),
  context: (ui) => stepTo(ui, { kind: 'context' }),
  init: runInit,
  remember: (ui, text) =>
    text === '' ? stepTo(noteMissing(ui, 'remember')) : stepTo(ui, { kind: 'planRemember', text, where: 'project' }),
  name: (ui, name) => (name === '' ? stepTo(noteMissing(ui, 'name')) : stepTo(ui, { kind: 'rename', name })),
  share: runShare,
  fork: runFork,
  resume: (ui, _, { state, nowMs }) =>
    openConversationMenu(ui, { liveOnly: false, folder: state?.core.meta.cwd ?? null }, nowMs),
  new: (ui) => stepTo(ui, { kind: 'new' }),
  clear: (ui) => stepTo(ui, { kind: 'clear' }, { kind: 'new' }),
  login: (ui, provider, context) => openLoginMenu(ui, { kind: 'login', sought: provider }, context),
  logout: (ui, provider, context) => openLoginMenu(ui, { kind: 'logout', sought: provider }, context),
  theme(ui, argument, context) {
    if (argument === '') return openThemeMenu(ui, context)
    const theme = themeNames.find((name) => name === argument)
    if (theme !== undefined) return stepTo(changePart(ui, 'look', { theme }), { kind: 'keepTheme', theme })
    return stepTo(noteNoChoice(ui, { what: 'Theme', argument, current: ui.look.theme, choices: themeNames }))
  },
  mcp: runMcp,
  trust: runTrust,
  detach(ui) {
    if (ui.opened?.ephemeral)
      return stepTo(addNote(ui, 'warning', 'Nothing of this conversation is kept: /quit ends it.'))
    return stepTo(ui, { kind: isReady(ui) ? 'detach' : 'leave' })
  },
  quit: (ui) => stepTo(ui, { kind: 'leave' }),
}

function runFork(ui: UiState): UiStep {
  if (ui.opened === null) return stepTo(ui)
  return ui.opened.heldTo === 'none'
    ? stepTo(noteReadOnly(ui))
    : stepTo(ui, { kind: 'fork', conversationId: ui.opened.conversationId })
}

/** Sends the request to draft an AGENTS.md as a message of the user. */
function runInit(ui: UiState, what: string, { freshId }: UiContext): UiStep {
  if (!maySend(ui.opened)) return stepTo(noteReadOnly(ui))
  const message = { messageId: freshId, text: draftRequest(what), when: 'queue' } as const
  return stepTo(hold(ui, message), { kind: 'send', message })
}

function runCopy(ui: UiState, argument: string): UiStep {
  const [word = '', digits] = argument.split(/\s+/)
  const what = copiedParts.find((part) => part === (word === '' ? 'answer' : word))
  const number = digits === undefined ? null : Number(digits)
  const isNumbered = number !== null && Number.isInteger(number) && number > 0 && what === 'code'
  if (what !== undefined && (number === null || isNumbered)) return stepTo(ui, { kind: 'copy', what, number })
  return stepTo(noteMissing(ui, 'copy'))
}

/** Sends the message that has a finding mended. */
function runFix(ui: UiState, argument: string, { state, freshId }: UiContext): UiStep {
  const fix = readFix(argument, state?.window ?? [])
  if ('problem' in fix) return stepTo(addNote(ui, 'info', fix.problem))
  const message = { messageId: freshId, text: fix.text, when: 'queue' } as const
  return stepTo(hold(ui, message), { kind: 'send', message })
}

function runShare(ui: UiState, words: string, { state, nowMs }: UiContext): UiStep {
  if (words === '') return stepTo(addNotice(ui, accessTable(state?.core.meta.access, nowMs)))
  const asked = readShare(words)
  return asked === null ? stepTo(noteMissing(ui, 'share')) : stepTo(ui, { kind: 'share', asked })
}

function runMcp(ui: UiState, argument: string): UiStep {
  const [verb = '', name] = argument.split(/\s+/)
  if (verb === '') return stepTo(ui, { kind: 'mcp' })
  if (verb === 'restart' && name !== undefined) return stepTo(ui, { kind: 'restartMcp', name })
  return stepTo(addNote(ui, 'info', '/mcp lists the tool servers, /mcp restart NAME starts one anew.'))
}

/**
 * Trusts or declines a project's configuration. Takes a typed word because a yes lets programs of the project run, and
 * counts only for the configuration shown.
 */
function runTrust(ui: UiState, argument: string): UiStep {
  const verdict = argument === 'yes' ? 'trusted' : argument === 'no' ? 'declined' : null
  if (argument === '') return stepTo(ui, { kind: 'readTrust' })
  if (verdict === null)
    return stepTo(
      addNote(
        ui,
        'info',
        '/trust shows the configuration of this project, /trust yes trusts it, /trust no declines it.',
      ),
    )
  if (ui.shownTrust === null) return stepTo(addNote(ui, 'warning', 'Look at it first: /trust shows what it would do.'))
  return stepTo(ui, { kind: 'decideTrust', hash: ui.shownTrust, verdict })
}
