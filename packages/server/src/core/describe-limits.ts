import { allHaveNetwork } from '@parley/policy'
import type { Settings } from '@parley/protocol'

/** What the model is told of the limits in force and of how to ask for more, a line each. */
export function describeLimits(settings: Settings): readonly string[] {
  const { sandbox, enforcement, approvalPolicy, writableRoots } = settings
  return [
    `Sandbox: ${sandboxText(settings)}; approval policy: ${approvalPolicy}`,
    ...(writableRoots.length > 0 ? [`Also writable: ${writableRoots.join(', ')}`] : []),
    ...(enforcement === 'none' || sandbox === 'danger-full-access' ? [] : inside(settings)),
  ]
}

function sandboxText({ sandbox, enforcement, approvalPolicy }: Settings): string {
  const otherwise = `so what is not known to be harmless is ${approvalPolicy === 'never' ? 'denied' : 'asked first'}`
  if (sandbox === 'danger-full-access') return 'off (the user chose full access)'
  switch (enforcement) {
    case 'full':
      return sandbox
    case 'partial':
      return `${sandbox} (enforced in part, ${otherwise})`
    case 'none':
      return `${sandbox} (nothing enforces it here, ${otherwise})`
  }
}

function inside(settings: Settings): readonly string[] {
  const { sandbox: sandboxMode, enforcement, network = false } = settings
  const hasNetwork = allHaveNetwork({ sandboxMode, network })
  return [
    ...(sandboxMode === 'read-only' ? [`Commands may write in ${ownFolder} only.`] : writing(settings)),
    hasNetwork ? 'Commands have the network.' : noNetwork(enforcement),
    ...howToAsk(settings, hasNetwork),
  ]
}

const ownFolder =
  '$TMPDIR, which only commands see (read_file does not) and which lasts as long as the conversation is open'

function writing({ enforcement, approvalPolicy }: Settings): readonly string[] {
  return [
    `Commands may write in the working directory and in ${ownFolder}.`,
    `In the working directory .git, .parley, .vscode, .idea, .husky, .envrc and .mcp.json are read-only: what changes the repository (git add, commit, checkout, stash, …) ${pastReadOnly[approvalPolicy]}.`,
    ...(enforcement === 'partial'
      ? ['Commands cannot make, rename or remove anything directly in the working directory, only in its folders.']
      : []),
  ]
}

const pastReadOnly: Readonly<Record<Settings['approvalPolicy'], string>> = {
  untrusted: 'needs escalate: true with a reason, from the first try on',
  'on-request': 'needs escalate: true with a reason, from the first try on',
  'on-failure': 'fails at first, and the user is asked whether it may run again outside the sandbox',
  never: 'cannot run here, so leave it to the user',
}

function noNetwork(enforcement: Settings['enforcement']): string {
  return enforcement === 'partial'
    ? 'Commands have no network, not even between each other.'
    : 'Commands have no network, and a loopback of their own: what a command in the background serves no other command reaches, so start a server and what uses it in one command.'
}

function howToAsk({ approvalPolicy }: Settings, hasNetwork: boolean): readonly string[] {
  switch (approvalPolicy) {
    case 'never':
      return ['More cannot be asked for.']
    case 'on-failure':
      return ['What the sandbox blocks is put to the user, who may let it run again with more rights.']
    case 'untrusted':
    case 'on-request':
      return [
        `To ask for more, call shell with a reason and ${hasNetwork ? '' : 'network: true (the network, for that command) or '}escalate: true (outside the sandbox). If it is clear beforehand that a command needs that, ask at once.`,
      ]
  }
}
