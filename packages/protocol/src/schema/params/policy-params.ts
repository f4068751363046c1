import * as z from 'zod'
import { approvalPolicy, overrides, sandboxMode } from '../settings.ts'

/** Fields that name a conversation, directly or by its folder. */
export const oneConversation = {
  cwd: z
    .string()
    .exactOptional()
    .describe('Folder of the newest conversation, which is used when `conversation` is left out.'),
  conversation: z.string().exactOptional().describe('Id, a unique part of it, or name of the conversation.'),
}

/** Rules and settings for judging a call; omitted ones are the user's own. */
const judging = {
  approvalPolicy: approvalPolicy.exactOptional(),
  sandbox: sandboxMode.exactOptional(),
  policyFile: overrides.shape.policyFile,
  rules: z.string().exactOptional().describe('Absolute path of a rules file to use instead of policy.toml.'),
}

/** Parameters of methods about the policy's decisions, without schemas of results. */
export const policyParams = {
  'policy/test': z.object({
    ...judging,
    profile: overrides.shape.profile,
    config: overrides.shape.config,
    addDirs: overrides.shape.addDirs,
    cwd: z.string().describe('Absolute path of the folder it would run in.'),
    command: z.union([z.string().min(1), z.array(z.string()).min(1)]).describe('A shell line, or an argv.'),
    asks: z
      .enum(['network', 'outsideSandbox'])
      .exactOptional()
      .describe('Right beyond the sandbox that the call would ask for.'),
  }),
  'policy/replay': z.object({
    ...judging,
    ...oneConversation,
  }),
  'policy/why': z.object({
    ...oneConversation,
    item: z
      .string()
      .exactOptional()
      .describe('Id of a call, a part of it, a part of its title, or how many calls back (1: the last); default 1.'),
  }),
} as const
