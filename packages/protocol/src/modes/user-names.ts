/** Names of users and of the machines that they connect, as a part of a regular expression. */
export const namePattern = '[a-z0-9][a-z0-9._-]{0,31}'

export const nameForm = new RegExp(`^${namePattern}$`)
