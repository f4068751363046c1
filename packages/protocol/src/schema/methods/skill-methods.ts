import * as z from 'zod'

const foundPart = z
  .object({
    kind: z.enum(['skill', 'command']),
    name: z.string().describe('`/name` starts it; a skill also by `$name` anywhere in a message.'),
    description: z.string().describe('One line; empty for one that is not read.'),
    argumentHint: z.string().exactOptional().describe('Arguments that it takes, in words.'),
    origin: z.enum(['user', 'project']),
    path: z.string().describe('Its SKILL.md or its own file; absolute.'),
    state: z
      .enum(['ready', 'untrusted', 'broken', 'sameName'])
      .describe('Only `ready` ones can be used. `sameName`: one that comes first has its name.'),
    problem: z.string().exactOptional().describe('Reason why it cannot be used.'),
    remarks: z.array(z.string()).describe('Departures from the open form that do not keep it from working.'),
    forModel: z.boolean().describe('True for a skill that the model may choose by itself.'),
    forUser: z.boolean().describe('True for one that is offered where messages are written.'),
    allowedTools: z.array(z.string()).exactOptional().describe('Tools that a skill names; they only narrow.'),
    files: z.array(z.string()).describe('Files beside a SKILL.md, relative to its folder.'),
  })
  .describe('A skill or a command of the user or of a project.')

export const skillMethods = {
  'skill/list': {
    about: 'Lists the skills and commands of the user and of the project of a folder, including unusable ones.',
    result: z.object({ parts: z.array(foundPart) }),
  },
} as const

export type FoundPart = z.infer<typeof foundPart>
