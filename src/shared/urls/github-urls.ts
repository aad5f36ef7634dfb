/** GitHub's address and that of its gists; an IP address has no subdomain for gists. */
export const githubUrls = (githubUrl: string): string[] =>
  [githubUrl, githubUrl.replace('://', '://gist.')].filter((url) => URL.canParse(url))
