//! Who carries out what.

use std::sync::Arc;
use std::time::Duration;

use swampbox_actuators::{
    CommandActuator, Connection, Declared, DeclaredCommand, ExitCodes, FileActuator, GitActuator,
    GitHubActuator, GitIdentity, GitRepository, HttpActuator, NotDone, Secret,
};
use swampbox_material::Pattern;

use super::routes::Routes;
use super::{Config, file};
use crate::failure::Failure;

const HTTP: &[&str] = &[HttpActuator::CONSEQUENCE_TYPE];
const FILE: &[&str] = &[FileActuator::CONSEQUENCE_TYPE];
const COMMAND: &[&str] = &[CommandActuator::CONSEQUENCE_TYPE];
const GIT: &[&str] = &[GitActuator::PATCH, GitActuator::PUSH];
const GITHUB: &[&str] = &[GitHubActuator::ISSUE, GitHubActuator::COMMENT];

impl Config {
    /// The actuators of the configuration. Without a file, HTTP requests are carried out wherever
    /// they go, to private addresses too: no credential goes with them, and whoever runs the command
    /// reaches those anyway.
    pub(crate) fn routes(&self) -> Result<Routes, Failure> {
        self.targets_are_apart()?;
        let mut routes = Routes::default();
        if self.path.is_none() {
            let anywhere = (HTTP, self.pattern("http", "http*")?);
            let builder = HttpActuator::builder().allow_private_addresses();
            self.route(&mut routes, "http", anywhere, Ok(Arc::new(builder.build())))?;
        }
        let file = &self.file;
        for (number, http) in (1..).zip(&file.http) {
            let place = format!("http {number}");
            let target = (HTTP, self.origins(&place, &http.target)?);
            let actuator = self.http(&place, http)?;
            self.route(&mut routes, &place, target, actuator)?;
        }
        for (number, root) in (1..).zip(&file.file) {
            let place = format!("file {number}");
            let target = (FILE, self.exact(&place, &root.target)?);
            let made = FileActuator::builder().root(&*root.target, self.beside(&root.directory));
            let made = made.map(|builder| Arc::new(builder.build()) as Arc<dyn Declared>);
            let made = made.map_err(|error| {
                self.invalid(&place, format!("{error}; make it, or mend its `directory`"))
            });
            self.route(&mut routes, &place, target, made)?;
        }
        for (number, command) in (1..).zip(&file.command) {
            let place = format!("command {number}");
            let target = (COMMAND, self.exact(&place, &command.target)?);
            let actuator = self.command(&place, command)?;
            self.route(&mut routes, &place, target, Ok(actuator))?;
        }
        if let Some(git) = &file.git {
            self.git(&mut routes, git)?;
        }
        for (number, github) in (1..).zip(&file.github) {
            let place = format!("github {number}");
            let target = (GITHUB, self.pattern(&place, &github.target)?);
            let api = self.parsed(&place, &github.api)?;
            let token = self.token(&place, &github.token_file);
            let made =
                token.map(|token| Arc::new(GitHubActuator::new(api, token)) as Arc<dyn Declared>);
            self.route(&mut routes, &place, target, made)?;
        }
        Ok(routes)
    }

    /// The actuator, or why its credential is not there.
    fn http(
        &self,
        place: &str,
        http: &file::Http,
    ) -> Result<Result<Arc<dyn Declared>, Failure>, Failure> {
        let invalid = |error: &dyn ToString| self.invalid(place, error.to_string());
        let mut builder = HttpActuator::builder()
            .overall_timeout(Duration::from_secs(http.timeout_seconds.get()));
        if http.private {
            builder = builder.allow_private_addresses();
        }
        if http.connection.is_some() || !http.not_done.is_empty() {
            let origin: swampbox_actuators::Origin =
                http.target.parse().map_err(|error| invalid(&error))?;
            if let Some(connection) = &http.connection {
                let secret = match self.secret(place, "token_file", &connection.token_file) {
                    Ok(secret) => secret,
                    Err(missing) => return Ok(Err(missing)),
                };
                let name = connection.name.as_str();
                let connection = match &connection.header {
                    Some(header) => Connection::header(name, header, &secret),
                    None => Connection::bearer(name, &secret),
                };
                builder =
                    builder.connect(origin.clone(), connection.map_err(|error| invalid(&error))?);
            }
            if !http.not_done.is_empty() {
                let not_done = NotDone::statuses(http.not_done.iter().copied());
                builder = builder.declare(origin, not_done.map_err(|error| invalid(&error))?);
            }
        }
        Ok(Ok(Arc::new(builder.build())))
    }

    fn command(&self, place: &str, command: &file::Command) -> Result<Arc<dyn Declared>, Failure> {
        let invalid = |error: &dyn ToString| self.invalid(place, error.to_string());
        let codes = ExitCodes::new(command.done.iter().copied(), command.not_done.iter().copied());
        let codes = codes.map_err(|error| invalid(&error))?;
        let mut declared = DeclaredCommand::new(&command.program, codes)
            .and_then(|declared| declared.arguments(command.arguments.iter().map(String::as_str)))
            .map_err(|error| invalid(&error))?
            .timeout(Duration::from_secs(command.timeout_seconds.get()));
        for (name, value) in &command.environment {
            declared = declared.variable(name, value).map_err(|error| invalid(&error))?;
        }
        if let Some(directory) = &command.directory {
            declared =
                declared.directory(self.beside(directory)).map_err(|error| invalid(&error))?;
        }
        Ok(Arc::new(CommandActuator::builder().declare(command.target.as_str(), declared).build()))
    }

    fn git(&self, routes: &mut Routes, git: &file::Git) -> Result<(), Failure> {
        let identity = GitIdentity::new(&git.name, &git.email);
        let identity = identity.map_err(|error| self.invalid("git", error))?;
        let mut builder = GitActuator::builder(identity);
        let mut targets = Vec::new();
        for (number, repository) in (1..).zip(&git.repositories) {
            let place = format!("git.repositories {number}");
            let target = (GIT, self.exact(&place, &repository.target)?);
            let login = repository.token_file.as_ref().map(|file| self.token(&place, file));
            match login.transpose() {
                Ok(token) => {
                    let made = self.repository(&place, repository, token)?;
                    builder = builder.repository(repository.target.as_str(), made);
                    targets.push((place, target));
                }
                Err(missing) => self.route(routes, &place, target, Err(missing))?,
            }
        }
        let actuator = Arc::new(builder.build());
        for (place, target) in targets {
            self.route(routes, &place, target, Ok(actuator.clone()))?;
        }
        Ok(())
    }

    fn repository(
        &self,
        place: &str,
        repository: &file::Repository,
        token: Option<Secret>,
    ) -> Result<GitRepository, Failure> {
        let invalid = |error: &dyn ToString| self.invalid(place, error.to_string());
        let mut made = match (&repository.path, &repository.url, &repository.mirror) {
            (Some(path), None, None) => GitRepository::local(self.beside(path)),
            (None, Some(url), Some(mirror)) => {
                let url = url.parse().map_err(|error| invalid(&error))?;
                GitRepository::remote(url, self.beside(mirror))
            }
            _ => {
                let problem = "give either `path`, or `url` and `mirror`";
                return Err(self.invalid(place, problem));
            }
        };
        if let Some(source) = &repository.commits_from {
            made = made.commits_from(self.beside(source));
        }
        if let Some(token) = token {
            made = made.login(repository.user.as_deref().unwrap_or("git"), token);
        }
        for branch in &repository.branches {
            made = made.allow(branch.parse().map_err(|error| invalid(&error))?);
        }
        Ok(made)
    }

    fn token(&self, place: &str, file: &std::path::Path) -> Result<Secret, Failure> {
        let secret = self.secret(place, "token_file", file)?;
        Secret::new(secret).map_err(|error| self.invalid(place, error))
    }

    /// Refuses a name that stands for two targets of one kind: nothing would be carried out on either.
    fn targets_are_apart(&self) -> Result<(), Failure> {
        let file = &self.file;
        let repositories = file.git.iter().flat_map(|git| &git.repositories);
        let kinds: [(&str, Vec<&str>); 4] = [
            ("http", file.http.iter().map(|one| one.target.as_str()).collect()),
            ("file", file.file.iter().map(|one| one.target.as_str()).collect()),
            ("command", file.command.iter().map(|one| one.target.as_str()).collect()),
            ("git.repositories", repositories.map(|one| one.target.as_str()).collect()),
        ];
        for (kind, targets) in kinds {
            for (number, target) in targets.iter().enumerate() {
                if targets.iter().take(number).any(|earlier| earlier == target) {
                    let problem = format!("the target `{target}` is there already");
                    return Err(self.invalid(&format!("{kind} {}", number + 1), problem));
                }
            }
        }
        Ok(())
    }

    /// The pattern of a target that is a name. A `*` would stand for names that nobody gave.
    fn exact(&self, place: &str, target: &str) -> Result<Pattern, Failure> {
        if target.contains('*') {
            return Err(self.invalid(place, "a target that is a name can't hold `*`"));
        }
        self.pattern(place, target)
    }

    pub(super) fn pattern(&self, place: &str, text: &str) -> Result<Pattern, Failure> {
        self.parsed(place, text)
    }
}
