import * as z from 'zod'

export const approvalPolicy = z
  .enum(['untrusted', 'on-failure', 'on-request', 'never'])
  .describe('When a command or patch needs a yes; the table is in docs/policy.md.')

export const sandboxMode = z
  .enum(['read-only', 'workspace-write', 'danger-full-access'])
  .describe('What commands and patches may write to.')

export const enforcement = z
  .enum(['full', 'partial', 'none'])
  .describe(
    'How much of the sandbox mode something enforces where commands run. `none` beside `danger-full-access`: there is nothing to enforce.',
  )

export const settings = z
  .object({
    model: z.string().min(1),
    modelProvider: z.string().min(1).describe('Key of `[model_providers.X]`, or a built-in provider.'),
    effort: z.string().min(1).exactOptional().describe("Reasoning effort, in the provider's own words."),
    approvalPolicy,
    sandbox: sandboxMode,
    enforcement,
    writableRoots: z.array(z.string()).describe('Absolute folders besides cwd that patches and commands may write to.'),
    network: z
      .boolean()
      .exactOptional()
      .describe('Whether all commands of `workspace-write` have network; otherwise each one asks for it.'),
    unixSockets: z
      .boolean()
      .exactOptional()
      .describe('Whether sandboxed commands may make unix sockets; those of the system stay out of reach.'),
    profile: z.string().exactOptional().describe('The named set of config values it was made with.'),
    baseInstructions: z
      .string()
      .exactOptional()
      .describe('Instead of the built-in instructions; AGENTS.md files follow either.'),
    policyFile: z.string().exactOptional().describe('Absolute path of the rules file given at launch.'),
    environment: z
      .string()
      .exactOptional()
      .describe('The `[environments.X]` whose machine commands run and files lie on; without it, this one.'),
  })
  .describe('What a conversation runs with. Logged at creation; changes are `conversation.configured` events.')

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
  .describe(
    'Settings that changed; `enforcement` follows from the sandbox mode and from what enforces it where it works.',
  )

export type ApprovalPolicy = z.infer<typeof approvalPolicy>
export type SandboxMode = z.infer<typeof sandboxMode>
export type Enforcement = z.infer<typeof enforcement>
export type Settings = z.infer<typeof settings>
export type SettingsPatch = z.infer<typeof settingsPatch>
