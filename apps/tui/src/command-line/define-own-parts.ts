import type { Command } from 'commander'
import { named } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { HooksFlags } from '../commands/hooks/hooks.ts'
import type { NewSkillFlags, SkillsFlags } from '../commands/skills.ts'
import { flagsOf, type Settle, withServer } from './shared-options.ts'

export function defineSkills(program: Command, launch: Launch, settle: Settle): void {
  const skills = program.command('skills').description('skills and commands: your own, and those of a project')
  const define = (name: string, about: string, run: 'listSkills' | 'checkSkills') =>
    withServer(skills.command(name))
      .description(about)
      .option('-C, --cd <dir>', 'the folder to look from', named)
      .option('--environment <name>', 'look on the machine of this environment', named)
      .option('--json', 'one JSON object a line')
      .action((_flags: unknown, command: Command) =>
        settle(import('../commands/skills.ts').then((module) => module[run](launch, flagsOf<SkillsFlags>(command)))),
      )
  define('list', 'those that can be used, and why others cannot', 'listSkills')
  define('check', 'what is wrong with each of them (exit code 11 if one cannot be used)', 'checkSkills')
  skills
    .command('new <name>')
    .description('make a skill to fill in, in ~/.agents/skills')
    .option('--project', 'in .agents/skills of this folder')
    .option('-C, --cd <dir>', 'the folder of the project', named)
    .action((name: string, _flags: unknown, command: Command) =>
      settle(
        import('../commands/skills.ts').then(({ newSkill }) => newSkill(launch, name, flagsOf<NewSkillFlags>(command))),
      ),
    )
}

export function defineHooks(program: Command, launch: Launch, settle: Settle): void {
  const hooks = program.command('hooks').description('hooks: your own, and those of a project')
  hooks
    .command('list')
    .description('the hooks that run here, in their order, and those that are not trusted')
    .option('-C, --cd <dir>', 'the folder to look from', named)
    .option('--environment <name>', 'look on the machine of this environment', named)
    .option('--json', 'one JSON object a line')
    .action((_flags: unknown, command: Command) =>
      settle(
        import('../commands/hooks/hooks.ts').then((module) => module.listHooks(launch, flagsOf<HooksFlags>(command))),
      ),
    )
  hooks
    .command('test <event>')
    .description(
      'run the hooks of an event once, with an example, and print what they say (10 if one asks, 11 if one stops)',
    )
    .option('--input <json>', 'fields in place of those of the example', named)
    .option('--name <name>', 'only the hooks of this name', named)
    .option('-C, --cd <dir>', 'the folder to run them in', named)
    .option('--json', 'one JSON object a line')
    .action((event: string, _flags: unknown, command: Command) =>
      settle(
        import('../commands/hooks/hooks.ts').then((module) =>
          module.testHooks(launch, event, flagsOf<HooksFlags>(command)),
        ),
      ),
    )
}
