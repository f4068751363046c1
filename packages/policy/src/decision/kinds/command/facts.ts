import * as z from 'zod'
import { type ReadPath, readPathSchema } from '../read.ts'

/** Words of a command found in a script; null stands for a word that only the shell can expand. */
export type SeenCommand = readonly (string | null)[]

export interface CommandPart {
  readonly argv: readonly string[]
  /** `argv[0]` as written. */
  readonly program: string
  /**
   * File that the search path leads to for a bare name; null without such a file, or when a relative entry comes first.
   */
  readonly programPath: string | null
  /** Real path of the program, when links lead elsewhere. */
  readonly programReal?: string
  readonly programInsideRoots: boolean
  /** True for a program that only looks, with options known to be harmless, whichever files it is given. */
  readonly knownSafe: boolean
}

/** Tests if the program is an installed one, no file of a writable folder. */
export function isInstalled({ programPath, programInsideRoots }: CommandPart): boolean {
  return programPath !== null && !programInsideRoots
}

/** Request of the call for more than the sandbox gives, with the model's reason. */
export interface SandboxRequest {
  readonly reason: string
}

/** Words of a command, and the commands that it runs in turn. */
export interface CommandWords {
  readonly argv: readonly string[]
  /** Text passed to a shell; null when no shell is involved. */
  readonly script: string | null
  readonly understood: boolean
  readonly notUnderstoodBecause?: string
  /** Commands that would run; empty unless `understood`. */
  readonly parts: readonly CommandPart[]
  /** Commands found anywhere, inside wrappers and nested scripts too. May only make a decision stricter. */
  readonly seen: readonly SeenCommand[]
}

/** Rights beyond the sandbox that a call asks for. */
export interface CommandRequests {
  readonly escalation: SandboxRequest | null
  /** Request for the network. Facts of older conversations lack it. */
  readonly network?: SandboxRequest
}

/** Facts about a call that runs a command. */
export interface CommandFacts extends CommandWords, CommandRequests {
  readonly kind: 'command'
  readonly tool: string
  readonly dangerous: string | null
  /** True when every part is known to be safe and no part touches a secret. Implies `understood`. */
  readonly knownSafe: boolean
  /** Word that leads to a path where secrets are kept. */
  readonly touchesSecret: string | null
  /** Existing paths that known-safe commands name. */
  readonly reads: readonly ReadPath[]
  readonly cwd: string
  /** Folder of the conversation, from which rules about paths are read. */
  readonly workspace: string
  /** True for a command that goes on after the call, without a time limit. */
  readonly background: boolean
}

export function commandFactsSchema(): z.ZodType<CommandFacts> {
  const request = z.object({ reason: z.string() })
  return z.object({
    kind: z.literal('command'),
    tool: z.string(),
    argv: z.array(z.string()),
    script: z.string().nullable(),
    understood: z.boolean(),
    notUnderstoodBecause: z.string().exactOptional(),
    parts: z.array(
      z.object({
        argv: z.array(z.string()),
        program: z.string(),
        programPath: z.string().nullable(),
        programReal: z.string().exactOptional(),
        programInsideRoots: z.boolean(),
        knownSafe: z.boolean(),
      }),
    ),
    seen: z.array(z.array(z.string().nullable())),
    dangerous: z.string().nullable(),
    knownSafe: z.boolean(),
    touchesSecret: z.string().nullable(),
    reads: z.array(readPathSchema()),
    cwd: z.string(),
    workspace: z.string(),
    escalation: request.nullable(),
    network: request.exactOptional(),
    background: z.boolean(),
  })
}
