/** GitHub's address and the one of its gists; before a bare number no gists can stand. */
export const githubUrls = (githubUrl: string): string[] =>
  [githubUrl, githubUrl.replace('://', '://gist.')].filter((url) => URL.canParse(url))
