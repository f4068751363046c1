import type { ApprovalPolicy, Enforcement, SandboxMode } from '@parley/protocol'
import type { OutcomeName } from './outcomes.ts'

/** What kind of call it is, as far as the matrix cares. */
export const columns = [
  'knownSafe',
  'otherCommand',
  'escalation',
  'network',
  'dangerous',
  'patchInside',
  'patchOutside',
  'patchProtected',
  'readInside',
  'readOutside',
  'readSecret',
  'toolReadOnly',
  'toolWithEffects',
] as const

export type Column = (typeof columns)[number]
export type Cell = Readonly<Record<Enforcement, OutcomeName>>
export type Row = Readonly<Record<Column, Cell>>

const always = (name: OutcomeName): Cell => ({ full: name, partial: name, none: name })

/** Unasked only where something enforces the limits. Full access is a mode of its own, whatever could be enforced. */
const enforcedOrAsked = (enforced: OutcomeName): Cell => ({
  full: enforced,
  partial: 'partial-sandbox',
  none: 'no-sandbox',
})

/** Where nothing enforces limits it has the network anyway, and asks for running at all. */
const networkOr = (otherwise: Cell): Cell => ({ ...otherwise, full: 'network', partial: 'network' })

const enforcedOrRefused = (enforced: OutcomeName): Cell => ({
  full: enforced,
  partial: 'partial-sandbox-never',
  none: 'no-sandbox-never',
})

const harmless = {
  knownSafe: always('known-safe'),
  readInside: always('read-inside-roots'),
  readOutside: always('read-outside-roots'),
  toolReadOnly: always('tool-read-only'),
}

const asking = {
  ...harmless,
  dangerous: always('dangerous'),
  patchOutside: always('patch-outside-roots'),
  patchProtected: always('patch-protected'),
  readSecret: always('read-secret'),
  toolWithEffects: always('tool-effects'),
}

const untrusted: Row = {
  ...asking,
  otherCommand: always('untrusted'),
  escalation: always('escalation'),
  network: networkOr(always('untrusted')),
  patchInside: always('untrusted'),
  toolWithEffects: always('untrusted'),
}

// In read-only mode, and outside the roots, the sandbox is certain to block the write: the question that would
// follow is asked at once.
const onFailure: Row = {
  ...asking,
  otherCommand: enforcedOrAsked('sandboxed'),
  escalation: enforcedOrAsked('sandboxed'),
  network: enforcedOrAsked('sandboxed'),
  patchInside: enforcedOrAsked('patch-inside-roots'),
}

const onRequest: Row = {
  ...asking,
  otherCommand: enforcedOrAsked('sandboxed'),
  escalation: always('escalation'),
  network: networkOr(enforcedOrAsked('sandboxed')),
  patchInside: enforcedOrAsked('patch-inside-roots'),
}

const never: Row = {
  ...harmless,
  otherCommand: enforcedOrRefused('sandboxed'),
  escalation: always('escalation-never'),
  network: { ...enforcedOrRefused('sandboxed'), full: 'network-never' },
  dangerous: always('dangerous-never'),
  patchInside: enforcedOrRefused('patch-inside-roots'),
  patchOutside: always('patch-outside-roots-never'),
  patchProtected: always('patch-protected-never'),
  readSecret: always('read-secret-never'),
  toolWithEffects: always('tool-effects-never'),
}

const fullAccess: Row = {
  ...harmless,
  otherCommand: always('full-access'),
  escalation: always('full-access'),
  network: always('full-access'),
  dangerous: always('dangerous'),
  patchInside: always('full-access'),
  patchOutside: always('full-access'),
  patchProtected: always('full-access'),
  readSecret: always('full-access'),
  toolWithEffects: always('full-access'),
}

const asksToPatch = { patchInside: always('patch-read-only') }

/** The built-in decision for every policy, mode, kind of call and enforcement. Rules and grants come on top. */
export const matrix: Readonly<Record<ApprovalPolicy, Readonly<Record<SandboxMode, Row>>>> = {
  untrusted: {
    'read-only': { ...untrusted, ...asksToPatch },
    'workspace-write': untrusted,
    'danger-full-access': untrusted,
  },
  'on-failure': {
    'read-only': { ...onFailure, ...asksToPatch },
    'workspace-write': onFailure,
    'danger-full-access': fullAccess,
  },
  'on-request': {
    'read-only': { ...onRequest, ...asksToPatch },
    'workspace-write': onRequest,
    'danger-full-access': fullAccess,
  },
  never: {
    'read-only': { ...never, patchInside: always('patch-read-only-never') },
    'workspace-write': never,
    'danger-full-access': { ...fullAccess, dangerous: always('full-access') },
  },
}
