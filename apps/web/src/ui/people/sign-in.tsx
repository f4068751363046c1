import { useState } from 'react'
import type { Rejected } from '../../link/link.ts'

interface SignInProps {
  readonly rejected: Rejected
  readonly onSignIn: (token: string) => void
}

const texts: Readonly<Record<Rejected, { readonly title: string; readonly about: string }>> = {
  nothing: {
    title: 'Sign in',
    about: 'This server knows its users by a token. Yours comes from whoever runs the server.',
  },
  token: {
    title: 'Sign in',
    about:
      'That is no token of a user here, or not any more. Check that all of it was pasted, or ask whoever runs the server for a new one.',
  },
  link: {
    title: 'This link shows nothing any more',
    about: 'It has expired, or was revoked. Ask whoever shared the conversation for another, or sign in.',
  },
}

/** Asks for the token of a user. */
export function SignIn({ rejected, onSignIn }: SignInProps) {
  const [token, setToken] = useState('')
  const given = token.trim()
  const { title, about } = texts[rejected]
  return (
    <main className="not-admitted">
      <h1>{title}</h1>
      <p role={rejected === 'nothing' ? undefined : 'alert'}>{about}</p>
      <form
        className="sign-in"
        onSubmit={(event) => {
          event.preventDefault()
          if (given !== '') onSignIn(given)
        }}
      >
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
          spellCheck={false}
        />
        <button type="submit" className="primary" disabled={given === ''}>
          Sign in
        </button>
      </form>
      <p className="muted">It is kept in this tab until you close the tab or sign out, and nowhere else.</p>
    </main>
  )
}
