use swampbox_material::{Map, Material, MaterialError, Value};

/// What the agents of the story propose: to open an issue with this title.
pub(super) fn proposal(origin: &str, title: &str) -> Result<Material, MaterialError> {
    let payload = Map::new([
        ("method", Value::from("POST")),
        ("url", Value::from(format!("{origin}/issues"))),
        ("json", Value::from(Map::new([("title", Value::from(title))])?)),
    ])?;
    Ok(Material::new("http.request", origin, Value::from(payload)))
}
