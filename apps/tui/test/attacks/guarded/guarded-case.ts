import { readFileSync } from 'node:fs'
import type { ApprovalDecision, Overrides } from '@parley/client'
import type { ScriptedCall } from '@parley/testkit'
import { fixturePath, type Setup } from '../world/attack-case.ts'
import type { Frontend } from './frontends.ts'

/** A path that is kept from commands and patches. `{WS}` stands for the workspace; `target` is relative to it. */
export interface GuardedThing {
  readonly id: string
  readonly name: string
  readonly target: string
  readonly setup?: readonly Setup[]
  readonly cwd?: string
  /** Command that writes it; the usual one writes, removes and renames it by its own name. */
  readonly write?: string
  readonly only?: readonly Frontend[]
}

/** Way in which another program of the user exchanges `$T`, in the folder `$D`, while a command runs. */
export interface Way {
  readonly id: string
  readonly name: string
  readonly script: string
  /** Not for what lies in the workspace itself. */
  readonly notAtTop?: true
}

/** Something that changes between a call and its run. */
export interface Swap {
  readonly id: string
  readonly name: string
  readonly setup?: readonly Setup[]
  readonly call: { readonly tool: ScriptedCall['name']; readonly args: unknown }
  /** Done while the first question waits. */
  readonly swap: readonly Setup[] | null
  /** Repeated by another program from the call to its end, in the workspace. */
  readonly race?: string
  /** A question that shows this path asks about what the race leads to, and gets a no. */
  readonly unlessShown?: string
  /** Set by another client while the first question waits. */
  readonly settings?: Overrides
  readonly untrusted?: true
  readonly mode?: 'read-only'
  /** Said to the first question; every further one gets a no. */
  readonly answer?: ApprovalDecision
  readonly checks: readonly SwapCheck[]
}

/** `unchangedSince`: as it was after the swap. */
export interface SwapCheck {
  readonly absent?: string
  readonly unchanged?: string
  readonly unchangedSince?: string
}

/** A secret in the home of the user. */
export interface KeptSecret {
  readonly id: string
  readonly name: string
  /** Relative to the home. */
  readonly place: string
  readonly setup?: readonly Setup[]
  /** Path by which it is read; the place itself unless told. */
  readonly path?: string
}

interface Tables {
  readonly secrets: readonly KeptSecret[]
  readonly things: readonly GuardedThing[]
  readonly exchanged: readonly GuardedThing[]
  readonly ways: readonly Way[]
  readonly swaps: readonly Swap[]
}

export const tables: Tables = JSON.parse(readFileSync(fixturePath('guarded.json'), 'utf8'))
