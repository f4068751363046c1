import { type Client, codeOf } from '@parley/client/browser'
import { type ListedConversation, type ParamsOf, type ResultOf, thisMachine } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { useState } from 'react'
import { fragmentOf } from '../../link/page-secret.ts'

interface NewProps {
  readonly client: Client | null
  readonly listed: readonly ListedConversation[]
  readonly folder: string | null
  readonly onProblem: (problem: string) => void
}

const onlyHere: Offered = { environments: [], chosen: thisMachine }

/** Button that begins a conversation, once a folder of a machine is chosen. */
export function NewConversation({ client, listed, folder, onProblem }: NewProps) {
  const [offered, setOffered] = useState(onlyHere)
  const [place, setPlace] = useState<NewPlace | null>(null)
  const attempt = (work: (client: Client) => Promise<void>) => {
    if (client !== null) work(client).catch((error: unknown) => onProblem(errorMessage(error)))
  }
  const choose = async (client: Client) => {
    const found = await client.request('environment/list', {}).catch(hereForOlder)
    setOffered(found)
    setPlace(firstPlace({ ...found, listed, folder }))
  }
  const create = async (client: Client, wanted: NewPlace) => {
    const { conversationId } = await client.request('conversation/create', requestFor(wanted))
    setPlace(null)
    location.hash = fragmentOf(conversationId)
  }
  if (place === null)
    return (
      <button type="button" className="new" disabled={client === null} onClick={() => attempt(choose)}>
        New conversation
      </button>
    )
  return (
    <form
      className="new"
      onSubmit={(event) => {
        event.preventDefault()
        attempt((client) => create(client, place))
      }}
    >
      <PlaceFields
        {...{ place, offered, onChange: setPlace }}
        onMachine={(name) => setPlace(placeOn(name, { ...offered, listed, folder }))}
      />
      <div className="row">
        <button type="submit" className="primary">
          Begin
        </button>
        <button type="button" onClick={() => setPlace(null)}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** Returns no environments where the server is of an earlier program, which does not know the question. */
function hereForOlder(error: unknown): Offered {
  if (codeOf(error) === 'connectionClosed') throw error
  return onlyHere
}

interface FieldsProps {
  readonly place: NewPlace
  readonly offered: Offered
  readonly onChange: (place: NewPlace) => void
  readonly onMachine: (environment: string) => void
}

function PlaceFields({ place, offered: { environments }, onChange, onMachine }: FieldsProps) {
  const isHere = place.environment === thisMachine
  return (
    <>
      {environments.length === 0 ? null : (
        <>
          <label htmlFor="new-machine">Machine to work on</label>
          <select id="new-machine" value={place.environment} onChange={({ target }) => onMachine(target.value)}>
            <option value={thisMachine}>that of the server</option>
            {environments.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </>
      )}
      <label htmlFor="new-folder">Folder to work in</label>
      <input
        id="new-folder"
        placeholder={isHere ? '/folder/on/the/server' : `/folder/on/${place.environment}`}
        value={place.cwd}
        onChange={(event) => onChange({ ...place, cwd: event.target.value })}
        spellCheck={false}
      />
    </>
  )
}

/** Folder that a new conversation works in, as it is written, and the machine of it. */
interface NewPlace {
  readonly environment: string
  /** Empty for the folder that the environment is configured with. */
  readonly cwd: string
}

/** Environments to choose from; empty for a server of an earlier program. */
type Offered = ResultOf<'environment/list'>

interface Known extends Offered {
  /** Conversations, newest first. */
  readonly listed: readonly Pick<ListedConversation, 'cwd' | 'environment'>[]
  /** Folder of the server's machine that the page was opened for; null if no folder was named. */
  readonly folder: string | null
}

/** Returns the first proposal for a conversation's place: the page's, the configured one, or the newest one's. */
export function firstPlace(known: Known): NewPlace {
  const { environments, chosen, listed, folder } = known
  const names = new Set([thisMachine, ...environments.map(({ name }) => name)])
  if (chosen !== thisMachine && names.has(chosen)) return placeOn(chosen, known)
  if (folder !== null) return { environment: thisMachine, cwd: folder }
  const newest = listed.find(({ environment = thisMachine }) => names.has(environment))
  return placeOn(newest?.environment ?? thisMachine, known)
}

/** Returns the proposed folder of a machine: its own one, or the folder of the newest conversation there. */
export function placeOn(environment: string, { environments, listed, folder }: Known): NewPlace {
  const own = environment === thisMachine ? folder : environments.find(({ name }) => name === environment)?.cwd
  const newest = listed.find((one) => (one.environment ?? thisMachine) === environment)
  return { environment, cwd: own ?? newest?.cwd ?? '' }
}

/** Returns the request for a conversation there. The machine is always named, or the configured one would count. */
export function requestFor({ environment, cwd }: NewPlace): ParamsOf<'conversation/create'> {
  return { cwd, environment, ...(cwd === '' ? {} : { environmentCwd: cwd }) }
}
