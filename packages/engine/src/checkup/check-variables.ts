import type { Config } from '@parley/config'
import { commandEnv, heldVariables, toolchainVariables } from '@parley/host'
import type { CheckupFinding } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { envRulesOf } from '../settings/read-config.ts'
import { heldReason } from '../tools/processes/failure-hints.ts'

interface VariableSources {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly values: Config
  /** Folders that commands may change. */
  readonly changeable: readonly string[]
  readonly redaction: Pick<Redaction, 'hasSecret'>
}

/** Names the variables for toolchains that commands get from this process, and the variables that they do not get. */
export function checkVariables({ env, values, changeable, redaction }: VariableSources): CheckupFinding {
  const rules = { ...envRulesOf(values.shell_environment), isSecret: redaction.hasSecret, changeable }
  const passed = Object.keys(commandEnv(env, rules)).filter((name) => toolchainVariables.has(name))
  const held = heldVariables(env, rules)
  const got = passed.length === 0 ? 'no toolchain is set by variables' : `commands get ${nameList(passed.toSorted())}`
  const text = `${got}; ${held.length === 0 ? 'none is held back' : `held back: ${nameList(held.map(heldName))}`}`
  const harmful = held.filter(({ because }) => because === 'secret' || because === 'changeable')
  if (harmful.length === 0) return { name: 'variables', level: 'ok', text }
  const names = harmful.map(({ name }) => JSON.stringify(name)).join(', ')
  const remedy = `Where a command needs them all the same: include = [${names}] in [shell_environment] of config.toml.`
  return { name: 'variables', level: 'warning', text, remedy }
}

function heldName(one: Parameters<typeof heldReason>[0]): string {
  return `${one.name}${heldReason(one)}`
}

/** Most names that a line has. */
const maxListed = 60

function nameList(names: readonly string[]): string {
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : ''
  return `${names.slice(0, maxListed).join(', ')}${more}`
}
