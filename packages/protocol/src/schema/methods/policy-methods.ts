import * as z from 'zod'
import { ruleRef } from '../call-parts.ts'
import { conversationId, itemId } from '../ids.ts'
import { approvalPolicy, enforcement, sandboxMode } from '../settings.ts'
import { hookMethods } from './hook-methods.ts'

const judgement = z
  .object({
    verdict: z.enum(['allow', 'ask', 'deny']),
    rule: ruleRef,
    reason: z.string().describe('One sentence.'),
    code: z.string().exactOptional().describe('Stable name of the reason for a denial, for programs.'),
    run: z.enum(['sandboxed', 'unsandboxed']).describe('How the call runs, if it runs.'),
  })
  .describe('Verdict of the policy on a call.')

const testedCommand = z
  .object({
    ...judgement.shape,
    argv: z.array(z.string()),
    approvalPolicy,
    sandbox: sandboxMode,
    enforcement,
    understood: z.boolean().describe('All programs that the command would run are known.'),
    because: z.string().exactOptional().describe('Reason why it is not understood.'),
    parts: z
      .array(
        z.object({
          argv: z.array(z.string()),
          program: z.string().nullable().describe('Path of the program; null when none is found.'),
          ...judgement.shape,
        }),
      )
      .describe('Each command that would run, judged by itself; empty when the command is not understood.'),
    always: z.string().exactOptional().describe('Calls that `approvedAlways` would allow, where it would be offered.'),
  })
  .describe('A command and the decision about it.')

const replayedCalls = z
  .object({
    conversationId,
    calls: z.array(
      z.object({
        itemId,
        tool: z.string(),
        title: z.string(),
        before: z
          .object({
            verdict: judgement.shape.verdict,
            rule: ruleRef,
            answer: z.string().exactOptional().describe("The user's answer, where the user was asked."),
          })
          .describe('Stored verdict.'),
        after: judgement,
      }),
    ),
    skipped: z.int().describe('Number of calls without stored facts, which were never decided.'),
  })
  .describe('The calls of a conversation, oldest first, judged again.')

const count = z.int().min(0)

const replayDifference = z.object({
  seq: count.describe('Number of the event of the log.'),
  what: z.string().describe('One sentence.'),
  path: z.string().describe('Field that differs; empty for the event itself.'),
  logged: z.string().describe('Value in the log as JSON, shortened; empty without a value.'),
  replayed: z.string().describe('Value in the replay as JSON, shortened; empty without a value.'),
})

const replayedConversation = z
  .object({
    conversationId,
    events: count.describe('Events of the log, without the pieces of streamed text.'),
    compared: count.describe('Events that the engine made again, equal to those of the log.'),
    hashes: count.describe('Number of requests to the model with an equal hash.'),
    unhashed: count.describe('Requests without a hash in the log.'),
    difference: replayDifference.nullable().describe('First difference; null without differences.'),
    further: z
      .array(replayDifference)
      .describe('Later differences, which may follow from the first: the engine continues with the events of the log.'),
    left: count.describe('Events at the end that were not looked at, since so many differ.'),
    notes: z.array(z.string()).describe('Sentences on content of the log that was taken unchecked.'),
  })
  .describe('A conversation that the engine ran again, from its log alone.')

const explainedCall = z
  .object({
    conversationId,
    item: z.object({ id: itemId, tool: z.string(), title: z.string(), status: z.string() }),
    rows: z
      .array(z.object({ about: z.string(), text: z.string() }))
      .describe('Label and sentence, in the order to show them.'),
    calls: z.int().describe('Number of calls in the conversation.'),
  })
  .describe('A call and why it was run or not.')

const check = z
  .object({
    name: z.string().describe('Subject of the check.'),
    level: z.enum(['ok', 'warning', 'problem']),
    text: z.string().describe('Finding.'),
    remedy: z.string().exactOptional().describe('What to do about the finding.'),
  })
  .describe('One check and its finding.')

export const checkup = z.object({ checks: z.array(check) }).describe('All checks.')

export type CheckupFinding = z.infer<typeof check>
export type Judgement = z.infer<typeof judgement>

const projectProgram = z
  .object({
    name: z
      .string()
      .describe('Name of the MCP server, the key of its `[mcp_servers.X]`; of a hook its event, matcher and name.'),
    hook: z.literal(true).exactOptional().describe('It is a hook; otherwise an MCP server.'),
    argv: z.array(z.string()).describe('Exact argv; empty for an endpoint.'),
    cwd: z.string().exactOptional().describe('Folder it is started in.'),
    env: z.record(z.string(), z.string()).exactOptional().describe('Variables set by the project.'),
    url: z.string().exactOptional().describe('URL of the endpoint.'),
    sandboxed: z
      .boolean()
      .describe(
        'True when it runs inside the sandbox; otherwise it has all rights of the user. False for an endpoint.',
      ),
    network: z.boolean().describe('True when it can reach the network.'),
  })
  .describe('A program that is started, or an endpoint that is connected to, once the project is trusted.')

const trustReport = z
  .object({
    root: z.string().describe('Real path of the project: the repository of `cwd`, or `cwd` itself.'),
    state: z
      .enum(['none', 'untrusted', 'changed', 'trusted', 'declined'])
      .describe(
        '`none`: the project has no configuration. `changed`: other content was trusted before. Only `trusted` content takes effect.',
      ),
    hash: z
      .string()
      .nullable()
      .describe('Hash of all content that would take effect, for `trust/decide`; null when there is none.'),
    wouldRun: z.array(projectProgram),
    changes: z.array(z.string()).describe('Sentences about the settings and rules that would take effect.'),
    ignored: z.array(z.string()).describe('Configuration that never takes effect in a project, with the reason.'),
    files: z
      .array(z.object({ path: z.string().describe('Relative to `root`.'), text: z.string() }))
      .describe('Files of the configuration. Programs of the project that would run are listed without their text.'),
    diff: z.string().exactOptional().describe('Difference from the content trusted before, where that is known.'),
    rejects: z
      .object({ trusted: z.string().exactOptional(), declined: z.string().exactOptional() })
      .exactOptional()
      .describe(
        'Verdicts that `trust/decide` rejects from this client, each with the reason and the people who may decide.',
      ),
    keptIn: z
      .enum(['home', 'store'])
      .exactOptional()
      .describe(
        'Place of the answers about a project of an environment: the home of this server, or the store for all of its servers. Left out for a folder of its own machine.',
      ),
  })
  .describe('Effects of a project’s own configuration.')

export type TrustReport = z.infer<typeof trustReport>

/** Methods about trust and hooks, and methods that decide about calls without running them. */
export const policyMethods = {
  ...hookMethods,
  'trust/read': {
    about: 'Returns the effects of a project’s configuration, and if it is trusted.',
    result: trustReport,
  },
  'trust/decide': {
    about:
      'Trusts exactly this content of a project’s configuration, or declines it. Applies to new conversations; open ones stay as they are.',
    result: trustReport,
  },
  'server/checkup': {
    about: 'Checks the requirements of parley. Changes nothing.',
    result: checkup,
  },
  'policy/test': {
    about: 'Decides about a command without running it. Its facts are gathered on disk.',
    result: testedCommand,
  },
  'policy/replay': {
    about: 'Decides every call of a conversation again, from the facts stored with it, and returns both verdicts.',
    result: replayedCalls,
  },
  'replay/run': {
    about:
      'Runs a conversation again with the outcomes of its log: it asks no model, starts nothing and changes nothing. Compares event by event.',
    result: replayedConversation,
  },
  'policy/why': {
    about: 'Explains from the log why a call was run, asked about or denied.',
    result: explainedCall,
  },
} as const
