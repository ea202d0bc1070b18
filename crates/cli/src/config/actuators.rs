//! Who carries out what.

use std::sync::Arc;
use std::time::Duration;

use swampbox_actuators::{
    CommandActuator, Connection, DeclaredCommand, ExitCodes, FileActuator, GitActuator,
    GitHubActuator, GitIdentity, GitRepository, HttpActuator, NotDone, Registry, Secret,
};
use swampbox_material::Pattern;

use super::{Config, file};
use crate::failure::Failure;

impl Config {
    /// The actuators of the configuration. Without a file, HTTP requests are carried out wherever
    /// they go, to private addresses too: no credential goes with them, and whoever runs the command
    /// reaches those anyway.
    pub(crate) fn registry(&self) -> Result<Registry, Failure> {
        self.targets_are_apart()?;
        let mut registry = Registry::new();
        if self.path.is_none() {
            let builder = HttpActuator::builder().allow_private_addresses();
            let actuator = Arc::new(builder.build());
            let anywhere = self.pattern("http", "http*")?;
            registry
                .route(HttpActuator::CONSEQUENCE_TYPE, anywhere, actuator)
                .map_err(|error| self.invalid("http", error))?;
        }
        let file = &self.file;
        for (number, http) in (1..).zip(&file.http) {
            self.http(&mut registry, &format!("http {number}"), http)?;
        }
        for (number, root) in (1..).zip(&file.file) {
            let place = format!("file {number}");
            let actuator = FileActuator::builder()
                .root(root.target.as_str(), self.beside(&root.directory))
                .map_err(|error| self.invalid(&place, error))?
                .build();
            let target = self.exact(&place, &root.target)?;
            registry
                .route(FileActuator::CONSEQUENCE_TYPE, target, Arc::new(actuator))
                .map_err(|error| self.invalid(&place, error))?;
        }
        for (number, command) in (1..).zip(&file.command) {
            self.command(&mut registry, &format!("command {number}"), command)?;
        }
        if let Some(git) = &file.git {
            self.git(&mut registry, git)?;
        }
        for (number, github) in (1..).zip(&file.github) {
            let place = format!("github {number}");
            let invalid = |error: &dyn ToString| self.invalid(&place, error.to_string());
            let api = github.api.parse().map_err(|error| invalid(&error))?;
            let actuator = GitHubActuator::new(api, self.token(&place, &github.token_file)?);
            let actuator = Arc::new(actuator);
            let target = self.pattern(&place, &github.target)?;
            for consequence_type in [GitHubActuator::ISSUE, GitHubActuator::COMMENT] {
                let routed = registry.route(consequence_type, target.clone(), actuator.clone());
                routed.map_err(|error| invalid(&error))?;
            }
        }
        Ok(registry)
    }

    fn http(&self, registry: &mut Registry, place: &str, http: &file::Http) -> Result<(), Failure> {
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
                let secret = self.secret(place, "token_file", &connection.token_file)?;
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
        let target = self.pattern(place, &http.target)?;
        registry
            .route(HttpActuator::CONSEQUENCE_TYPE, target, Arc::new(builder.build()))
            .map_err(|error| invalid(&error))
    }

    fn command(
        &self,
        registry: &mut Registry,
        place: &str,
        command: &file::Command,
    ) -> Result<(), Failure> {
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
        let actuator =
            CommandActuator::builder().declare(command.target.as_str(), declared).build();
        let target = self.exact(place, &command.target)?;
        registry
            .route(CommandActuator::CONSEQUENCE_TYPE, target, Arc::new(actuator))
            .map_err(|error| invalid(&error))
    }

    fn git(&self, registry: &mut Registry, git: &file::Git) -> Result<(), Failure> {
        let identity = GitIdentity::new(&git.name, &git.email);
        let identity = identity.map_err(|error| self.invalid("git", error))?;
        let mut builder = GitActuator::builder(identity);
        let mut targets = Vec::new();
        for (number, repository) in (1..).zip(&git.repositories) {
            let place = format!("git.repositories {number}");
            builder = builder
                .repository(repository.target.as_str(), self.repository(&place, repository)?);
            targets.push(self.exact(&place, &repository.target)?);
        }
        let actuator = Arc::new(builder.build());
        for target in targets {
            for consequence_type in [GitActuator::PATCH, GitActuator::PUSH] {
                registry
                    .route(consequence_type, target.clone(), actuator.clone())
                    .map_err(|error| self.invalid("git", error))?;
            }
        }
        Ok(())
    }

    fn repository(
        &self,
        place: &str,
        repository: &file::Repository,
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
        if let Some(token_file) = &repository.token_file {
            let user = repository.user.as_deref().unwrap_or("git");
            made = made.login(user, self.token(place, token_file)?);
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

    fn pattern(&self, place: &str, text: &str) -> Result<Pattern, Failure> {
        self.parsed(place, text)
    }
}
