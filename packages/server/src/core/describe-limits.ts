import type { Settings } from '@parley/protocol'

/** What the model is told of the limits in force and of how to ask for more, a line each. */
export function describeLimits(settings: Settings): readonly string[] {
  const { sandbox, tier, approvalPolicy, writableRoots } = settings
  const also = writableRoots.length > 0 ? [`Also writable: ${writableRoots.join(', ')}`] : []
  return [
    `Sandbox: ${sandboxText(settings)}; approval policy: ${approvalPolicy}`,
    ...also,
    ...inside(sandbox, tier, settings),
  ]
}

function sandboxText({ sandbox, tier }: Settings): string {
  switch (tier) {
    case 'A':
      return sandbox
    case 'B':
      return `${sandbox} (enforced in part, so what is not known to be harmless is asked first)`
    case 'C':
      return `${sandbox} (nothing enforces it here, so what is not known to be harmless is asked first)`
    case 'D':
      return 'off (the user chose full access)'
  }
}

function inside(sandbox: Settings['sandbox'], tier: Settings['tier'], settings: Settings): readonly string[] {
  if (tier === 'C' || tier === 'D') return []
  const network = settings.network === true && sandbox === 'workspace-write'
  return [
    sandbox === 'read-only'
      ? 'Commands may write to /tmp only, which is theirs alone and lasts as long as the conversation is open.'
      : 'Commands may write in the working directory and in /tmp, which is theirs alone and lasts as long as the conversation is open. In it .git, .parley, .vscode, .idea, .husky, .envrc and .mcp.json are read-only: git commit needs escalate.',
    network
      ? 'Commands have the network.'
      : 'Commands have no network, and a loopback of their own: what a command in the background serves no other command reaches, so start a server and what uses it in one command.',
    ...howToAsk(settings, network),
  ]
}

function howToAsk({ approvalPolicy }: Settings, network: boolean): readonly string[] {
  switch (approvalPolicy) {
    case 'never':
      return ['More cannot be asked for.']
    case 'on-failure':
      return ['What the sandbox denies a command is put to the user, who may let it run again with more rights.']
    case 'untrusted':
    case 'on-request':
      return [
        `To ask for more, call shell with a reason and ${network ? '' : 'network: true (the network, for that command) or '}escalate: true (outside the sandbox).`,
      ]
  }
}
