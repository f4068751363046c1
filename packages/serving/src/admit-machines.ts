import { nameForm, type Rights, type RightsOfToken } from '@parley/protocol'
import type { AdmitQuery, PathRules } from '@parley/rpc/websocket'
import type { ConnectedMachines, MachineOffer } from '@parley/workspace'

/** Path at which exec-servers of machines connect that cannot be reached. */
export const machinePath = '/exec-server'

const badRequest = 400
const statusOf = { nameTaken: 409, tooMany: 429 } as const
const runForm = /^[\w-]{1,64}$/

/** Returns the rule that admits exec-servers: with the token of a user, or with the token of the server. */
export function admitMachines(machines: ConnectedMachines, rightsOf: RightsOfToken): PathRules {
  const admit: AdmitQuery = async (token, query) => {
    const rights = await rightsOf(token)
    if (rights === null || rights.person.kind === 'guest') return null
    const offer = offerOf(query, rights)
    if (offer === null) return badRequest
    const admitted = await machines.admit(offer)
    return typeof admitted === 'string' ? statusOf[admitted] : admitted
  }
  return new Map([[machinePath, admit]])
}

function offerOf(query: URLSearchParams, rights: Rights): MachineOffer | null {
  const { person } = rights
  const [name = '', run = ''] = [query.get('name') ?? '', query.get('run') ?? '']
  const users = (query.get('users') ?? '').split(',').filter((user) => user !== '')
  if (!nameForm.test(name) || !runForm.test(run) || !users.every((user) => nameForm.test(user))) return null
  const mayStay = () => person.kind === 'operator' || rights.has('user')
  return { owner: person.kind === 'user' ? person.name : null, name, run, users, mayStay }
}
