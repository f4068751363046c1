import { createRoot } from 'react-dom/client'
import { openLink } from './link/link.ts'
import { createPageSecrets, fragmentOf, readFragment } from './link/page-secret.ts'
import { createPageTransport } from './link/page-transport.ts'
import { createTeamFrame } from './link/team-frame.ts'
import { App } from './ui/app.tsx'
import { pageName } from './words/words.ts'

declare const PARLEY_VERSION: string

const facts = readFragment(location.hash)
// Before anything else: the code must not stay in the address, in the history or in a copy of the address.
history.replaceState(null, '', fragmentOf(facts.conversation))
const secrets = createPageSecrets(facts, sessionStorage)
/** Time between two looks for servers that have come to the team. */
const lookMs = 10_000
const team = createTeamFrame(window)
const link = openLink({
  name: pageName,
  version: PARLEY_VERSION,
  secrets,
  home: location.origin,
  open: async (origin) => createPageTransport(await team.open(origin)),
  look: team.look,
})
setInterval(() => void link.lookAround(), lookMs)
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && link.check())
addEventListener('online', () => link.check())
const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<App link={link} folder={secrets.folder} />)
