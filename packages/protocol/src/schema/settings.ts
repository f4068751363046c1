import { utf8Length } from '@parley/text'
import * as z from 'zod'
import { approvalPolicies, sandboxModes } from '../modes/setting-names.ts'
import { leftAlone } from './redaction-marks.ts'

export const approvalPolicy = z
  .enum(approvalPolicies)
  .describe('When a command or patch needs approval; the table is in docs/policy.md.')

export const sandboxMode = z.enum(sandboxModes).describe('Limits on where commands and patches may write.')

export const enforcement = z
  .enum(['full', 'partial', 'none'])
  .describe(
    'Extent to which the sandbox mode is enforced where commands run. With `danger-full-access` it is `none`, as there is nothing to enforce.',
  )

/** Enforcement in a review turn, which does not use the sandbox mode of the settings. */
export const reviewEnforcement = enforcement
  .exactOptional()
  .describe('Of a review: enforcement of `read-only` where commands run, which counts with `danger-full-access` too.')

export const settings = z
  .object({
    model: z.string().min(1),
    modelProvider: z.string().min(1).describe('Key of `[model_providers.X]`, or a built-in provider.'),
    effort: z.string().min(1).exactOptional().describe("Reasoning effort, in the provider's own words."),
    approvalPolicy,
    sandbox: sandboxMode,
    enforcement,
    writableRoots: z
      .array(leftAlone(z.string(), 'path'))
      .describe('Absolute folders besides cwd that patches and commands may write to.'),
    network: z
      .boolean()
      .exactOptional()
      .describe('True when all commands of `workspace-write` have network; otherwise each one asks for it.'),
    unixSockets: z
      .boolean()
      .exactOptional()
      .describe('True when sandboxed commands may create unix sockets; sockets of the system stay out of reach.'),
    profile: z.string().exactOptional().describe('Profile of config values that the conversation was created with.'),
    baseInstructions: z
      .string()
      .exactOptional()
      .describe('Instructions that replace the built-in ones; AGENTS.md files follow either.'),
    policyFile: z.string().exactOptional().describe('Absolute path of the rules file given at launch.'),
    environment: z
      .string()
      .exactOptional()
      .describe('Name of the `[environments.X]` to work in; left out for the machine of the server.'),
  })
  .describe('Settings of a conversation. Logged at creation; changes are `conversation.configured` events.')

export const modelChoice = z
  .object({ modelProvider: settings.shape.modelProvider, model: settings.shape.model })
  .describe('A model of a provider.')

export const settingsPatch = z
  .object({
    model: settings.shape.model.exactOptional(),
    modelProvider: settings.shape.modelProvider.exactOptional(),
    effort: settings.shape.effort,
    approvalPolicy: approvalPolicy.exactOptional(),
    sandbox: sandboxMode.exactOptional(),
  })
  .describe('Settings to change; keys left out stay as they are.')

export const settingsChange = settingsPatch
  .extend({
    enforcement: enforcement.exactOptional(),
    writableRoots: settings.shape.writableRoots.exactOptional(),
    network: settings.shape.network,
    unixSockets: settings.shape.unixSockets,
  })
  .describe('Settings that changed; `enforcement` follows from the sandbox mode and from the environment.')

/**
 * Size limits in bytes of JSON for values that a client chooses: the state holds them, so together they must be small
 * beside a snapshot.
 */
export const most = {
  /** An id, a key, or the name of a model, provider, profile or environment. */
  name: 256,
  path: 4096,
  paths: 64 * 1024,
  /** A note, or the answers to a form. */
  note: 64 * 1024,
  instructions: 1024 * 1024,
}

/** Returns the schema of a text with a limited size, counted in bytes of its JSON form. */
export function textUpTo(limitBytes: number) {
  const fits = (text: string) => text.length <= limitBytes && jsonBytes(text) <= limitBytes + 2
  return z.string().refine(fits, { error: `may have ${limitBytes} bytes of JSON` })
}

export function jsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value))
}

const name = textUpTo(most.name).min(1)
export const path = textUpTo(most.path)
const folders = z
  .array(path)
  .refine((paths) => jsonBytes(paths) <= most.paths, { error: `may have ${most.paths} bytes of JSON` })
export const chosenSettings = settingsPatch
  .extend({ model: name.exactOptional(), modelProvider: name.exactOptional(), effort: name.exactOptional() })
  .describe('Settings that a client changes; keys left out stay as they are.')
export const overrides = z
  .object({
    cwd: path.exactOptional().describe('Absolute path.'),
    model: name.exactOptional(),
    modelProvider: name.exactOptional(),
    effort: name.exactOptional(),
    approvalPolicy: approvalPolicy.exactOptional(),
    sandbox: sandboxMode.exactOptional(),
    profile: textUpTo(most.name).exactOptional().describe('A named set of config values.'),
    policyFile: path
      .exactOptional()
      .describe('Rules file (TOML); its answers outrank the user’s own rules only where they are stricter.'),
    environment: textUpTo(most.name).exactOptional().describe('Name of the `[environments.X]` to work in.'),
    environmentCwd: path
      .exactOptional()
      .describe('Folder in the environment; default its configured `cwd`. Ignored without an environment.'),
    addDirs: folders.exactOptional().describe('Folders besides `cwd` that may be written to.'),
    writableRoots: folders
      .exactOptional()
      .describe('The only writable folders besides `cwd`, in place of the former ones.'),
    network: z
      .boolean()
      .exactOptional()
      .describe('Whether all commands of `workspace-write` have network; -32007 above the ceiling.'),
    config: z.record(z.string(), z.unknown()).exactOptional().describe('Config keys, as `-c key=value` gives them.'),
  })
  .describe('Settings given by the caller; the rest comes from config files and defaults.')

export const turnOverrides = chosenSettings
  .extend({
    cwd: overrides.shape.cwd,
    writableRoots: overrides.shape.writableRoots,
    network: overrides.shape.network,
  })
  .describe('Settings that a message changes from its turn on, within policy and ceiling.')

export type { ApprovalPolicy, SandboxMode } from '../modes/setting-names.ts'
export type Enforcement = z.infer<typeof enforcement>
export type Settings = z.infer<typeof settings>
export type ModelChoice = z.infer<typeof modelChoice>
export type SettingsPatch = z.infer<typeof settingsPatch>
